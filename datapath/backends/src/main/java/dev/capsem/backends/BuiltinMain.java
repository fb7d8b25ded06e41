package dev.capsem.backends;

import dev.capsem.backends.builtin.BuiltinServer;
import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.io.Connector;
import dev.capsem.backends.io.Dialer;
import dev.capsem.backends.io.DirectDialer;
import dev.capsem.backends.io.StreamPortDialer;
import dev.capsem.backends.io.TrustedAuthorities;
import dev.capsem.backends.line.EventLog;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/// capsem-mcp-builtin: the tools that every sandbox has, as an MCP server on stdin and stdout.
public final class BuiltinMain {
    /// The workspace; without it there are no file tools.
    private static final String WORKSPACE = "CAPSEM_WORKSPACE";
    /// Where the workspace's snapshots are kept, outside it; without it there are no snapshot tools.
    private static final String SNAPSHOTS = "CAPSEM_SNAPSHOTS";
    /// The sandbox's port 5002, through which HTTP tools reach the web; without it they connect directly.
    private static final String STREAM_SOCKET = "CAPSEM_STREAM_SOCKET";

    private BuiltinMain() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Map<String, String> environment = System.getenv();
        EventLog log = new EventLog(System.err, InstantSource.system());
        String port = environment.getOrDefault(STREAM_SOCKET, "");
        Dialer dialer = port.isEmpty() ? new DirectDialer() : new StreamPortDialer(Path.of(port));
        HttpClient http =
                new HttpClient(new Connector(dialer, TrustedAuthorities.of(environment.get("SSL_CERT_FILE"))));
        BuiltinServer.Places places =
                new BuiltinServer.Places(place(environment, WORKSPACE), place(environment, SNAPSHOTS));

        BuiltinServer.of(http, places, InstantSource.system(), log)
                .run(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out));
        System.exit(0);
    }

    private static Optional<Path> place(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).map(Path::of);
    }
}
