package dev.capsem.backends.builtin;

import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.line.EventLog;
import dev.capsem.toolserver.McpTool;
import dev.capsem.toolserver.StdioShell;
import dev.capsem.toolserver.ToolAnswer;
import dev.capsem.toolserver.ToolFailure;
import dev.capsem.toolserver.ToolServer;
import dev.capsem.wire.CapsemVersion;
import dev.capsem.wire.json.Json;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The built-in tools as an MCP server over lines.
public final class BuiltinServer {
    /// Of all snapshots of a sandbox together; equal contents count once.
    private static final long SNAPSHOT_BYTES_MAX = 4L * 1024 * 1024 * 1024;

    private static final ToolServer.Identity IDENTITY = new ToolServer.Identity(
            "capsem-local",
            "Tools of this sandbox",
            CapsemVersion.TEXT,
            "Fetch pages, work on the files of the workspace, and take or restore snapshots of it.");

    private final ToolServer server;
    private final Optional<AutomaticSnapshots> ring;
    private final EventLog log;

    private BuiltinServer(ToolServer server, Optional<AutomaticSnapshots> ring, EventLog log) {
        this.server = server;
        this.ring = ring;
        this.log = log;
    }

    /// The directories that the tools work on.
    ///
    /// @param workspace the file tools' whole world; absent if there is none
    /// @param snapshots where those of the workspace are kept, outside it; absent if there are none
    public record Places(Optional<Path> workspace, Optional<Path> snapshots) {}

    public static BuiltinServer of(HttpClient http, Places places, InstantSource clock, EventLog log) {
        List<McpTool> tools = new ArrayList<>(new HttpTools(http).tools());
        Optional<WorkspaceFiles> workspace = places.workspace().map(WorkspaceFiles::new);
        workspace.ifPresent(root -> tools.addAll(new FileTools(root).tools()));
        Optional<Snapshots> snapshots = workspace.flatMap(root -> places.snapshots()
                .map(kept -> new Snapshots(root, new SnapshotStore(kept, SNAPSHOT_BYTES_MAX), clock)));
        snapshots.ifPresent(taken -> tools.addAll(new SnapshotTools(taken).tools()));
        return new BuiltinServer(server(tools), snapshots.map(taken -> new AutomaticSnapshots(taken, log)), log);
    }

    static ToolServer server(List<McpTool> tools) {
        return new ToolServer(IDENTITY, tools, BuiltinServer::failed, Optional.empty(), List.of());
    }

    private static ToolAnswer failed(ToolFailure failure) {
        String remedy = failure.remedy().isEmpty() ? "" : "; " + failure.remedy();
        return ToolAnswer.failed(failure.reason() + remedy, Json.object().put("code", failure.code()));
    }

    /// Until the input ends.
    public void run(InputStream in, OutputStream out) throws InterruptedException {
        ring.ifPresent(AutomaticSnapshots::start);
        try {
            new StdioShell(server, out, event -> log.warn("server", "reason", event)).run(in);
        } finally {
            ring.ifPresent(AutomaticSnapshots::close);
        }
    }
}
