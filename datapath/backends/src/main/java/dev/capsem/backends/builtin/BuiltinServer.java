package dev.capsem.backends.builtin;

import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.line.EventLog;
import dev.capsem.backends.line.LineWriter;
import dev.capsem.wire.CapsemVersion;
import dev.capsem.wire.aggregator.LineSplitter;
import dev.capsem.wire.aggregator.LineSplitter.Cut;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.jsonrpc.JsonRpc;
import dev.capsem.wire.jsonrpc.JsonRpc.Parsed;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Failure;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Notification;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Request;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Result;
import dev.capsem.wire.mcp.McpVersions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Serves the built-in tools over lines of JSON-RPC; calls run side by side.
public final class BuiltinServer {
    private static final int CALLS_MAX = 256;
    private static final int READ_BYTES = 64 * 1024;
    /// Of all snapshots of a sandbox together; equal contents count once.
    private static final long SNAPSHOT_BYTES_MAX = 4L * 1024 * 1024 * 1024;

    private final Map<String, BuiltinTool> tools = new LinkedHashMap<>();
    private final Map<JsonRpcId, Thread> running = new ConcurrentHashMap<>();
    private final LineWriter out;
    private final EventLog log;

    private final Optional<AutomaticSnapshots> ring;

    private BuiltinServer(List<BuiltinTool> tools, Optional<AutomaticSnapshots> ring, LineWriter out, EventLog log) {
        tools.forEach(tool -> this.tools.put(tool.name(), tool));
        this.ring = ring;
        this.out = out;
        this.log = log;
    }

    /// The directories that the tools work on.
    ///
    /// @param workspace the file tools' whole world; absent if there is none
    /// @param snapshots where those of the workspace are kept, outside it; absent if there are none
    public record Places(Optional<Path> workspace, Optional<Path> snapshots) {}

    public static BuiltinServer of(HttpClient http, Places places, InstantSource clock, LineWriter out, EventLog log) {
        List<BuiltinTool> tools = new ArrayList<>(new HttpTools(http).tools());
        Optional<WorkspaceFiles> workspace = places.workspace().map(WorkspaceFiles::new);
        workspace.ifPresent(root -> tools.addAll(new FileTools(root).tools()));
        Optional<Snapshots> snapshots = workspace.flatMap(root -> places.snapshots()
                .map(kept -> new Snapshots(root, new SnapshotStore(kept, SNAPSHOT_BYTES_MAX), clock)));
        snapshots.ifPresent(taken -> tools.addAll(new SnapshotTools(taken).tools()));
        return new BuiltinServer(tools, snapshots.map(taken -> new AutomaticSnapshots(taken, log)), out, log);
    }

    /// Until the input ends.
    public void run(InputStream in) {
        LineSplitter lines = new LineSplitter(JsonRpc.MESSAGE_BYTES_MAX);
        byte[] chunk = new byte[READ_BYTES];
        ring.ifPresent(AutomaticSnapshots::start);
        try {
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                lines.feed(chunk, count, this::received);
            }
        } catch (IOException e) {
            log.warn("input.failed");
        }
        ring.ifPresent(AutomaticSnapshots::close);
        running.values().forEach(Thread::interrupt);
        out.finish();
    }

    private void received(Cut cut) {
        switch (cut) {
            case Cut.TooLong _ -> log.warn("line.skipped", "reason", "too long");
            case Cut.Line(byte[] line) -> {
                switch (JsonRpc.parse(line)) {
                    case Parsed.Valid(Request request) -> begin(request);
                    case Parsed.Valid(Notification notification) -> noted(notification);
                    case Parsed.Valid(JsonRpcMessage _) ->
                        log.warn("line.skipped", "reason", "a response with no matching request");
                    case Parsed.Invalid(Optional<JsonRpcId> id, JsonRpcError error) -> say(new Failure(id, error));
                }
            }
        }
    }

    private void begin(Request request) {
        switch (request.method()) {
            case "initialize" -> say(new Result(request.id(), handshake(request)));
            case "ping" -> say(new Result(request.id(), Json.object()));
            case "tools/list" -> say(new Result(request.id(), list()));
            case "tools/call" -> {
                if (running.size() >= CALLS_MAX) {
                    say(failure(request, JsonRpcError.INTERNAL_ERROR, "too many calls at once: " + CALLS_MAX));
                    return;
                }
                Thread call = Thread.ofVirtual().name("call").unstarted(() -> call(request));
                running.put(request.id(), call);
                call.start();
            }
            default -> say(failure(request, JsonRpcError.METHOD_NOT_FOUND, "method not found: " + request.method()));
        }
    }

    private void call(Request request) {
        try {
            JsonMembers params = JsonMembers.of(request.paramsOrEmpty(), "params");
            BuiltinTool tool = tools.get(params.optionalText("name").orElse(""));
            if (tool == null) {
                say(failure(request, JsonRpcError.INVALID_PARAMS, "tool not found"));
                return;
            }
            JsonMembers arguments =
                    params.optionalObject("arguments").orElseGet(() -> JsonMembers.of(Json.object(), "arguments"));
            say(new Result(request.id(), tool.work().run(arguments).toJson()));
        } catch (BuiltinToolFailure e) {
            say(new Result(request.id(), ToolResult.failure(e.reason())));
        } catch (JsonShapeException e) {
            say(new Result(request.id(), ToolResult.failure(String.valueOf(e.getMessage()))));
        } catch (InterruptedException e) {
            // Cancelled: nobody waits for an answer.
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            log.warn("call.failed", "reason", e.getClass().getSimpleName());
            say(failure(request, JsonRpcError.INTERNAL_ERROR, "internal error"));
        } finally {
            running.remove(request.id());
        }
    }

    private void noted(Notification notification) {
        if (notification.method().equals("notifications/cancelled")) {
            Optional.ofNullable(notification.paramsOrEmpty().get("requestId"))
                    .flatMap(JsonRpc::id)
                    .map(running::get)
                    .ifPresent(Thread::interrupt);
        }
    }

    private static ObjectNode handshake(Request request) {
        String wanted = request.paramsOrEmpty().path("protocolVersion").asString("");
        ObjectNode result = Json.object().put("protocolVersion", McpVersions.negotiated(wanted));
        result.putObject("capabilities").putObject("tools");
        result.putObject("serverInfo").put("name", "capsem-local").put("version", CapsemVersion.TEXT);
        return result;
    }

    private ObjectNode list() {
        ObjectNode result = Json.object();
        ArrayNode array = result.putArray("tools");
        tools.values().forEach(tool -> array.add(tool.definition()));
        return result;
    }

    private static Failure failure(Request request, int code, String message) {
        return new Failure(Optional.of(request.id()), JsonRpcError.of(code, message));
    }

    private void say(JsonRpcMessage message) {
        out.write(JsonRpc.bytes(message));
    }
}
