package dev.capsem.backends;

import dev.capsem.backends.aggregator.Aggregator;
import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.io.Connector;
import dev.capsem.backends.io.Dialer;
import dev.capsem.backends.io.DirectDialer;
import dev.capsem.backends.io.TrustedAuthorities;
import dev.capsem.backends.io.TunnelDialer;
import dev.capsem.backends.line.EventLog;
import dev.capsem.backends.line.LineWriter;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;

/// capsem-mcp-aggregator: external MCP servers behind one pair of pipes.
public final class AggregatorMain {
    /// A Unix socket that takes `CONNECT host:port`; without it, connections are made directly.
    private static final String EGRESS_SOCKET = "CAPSEM_EGRESS_SOCKET";

    /// Certificates that count beside the JDK's own.
    private static final String EXTRA_CA_FILE = "CAPSEM_EXTRA_CA_FILE";

    private AggregatorMain() {}

    public static void main(String[] args) throws IOException {
        EventLog log = new EventLog(System.err, InstantSource.system());
        String egress = System.getenv().getOrDefault(EGRESS_SOCKET, "");
        Dialer dialer = egress.isEmpty() ? new DirectDialer() : new TunnelDialer(Path.of(egress));
        HttpClient http =
                new HttpClient(new Connector(dialer, TrustedAuthorities.beside(System.getenv(EXTRA_CA_FILE))));
        LineWriter out = new LineWriter(new FileOutputStream(FileDescriptor.out));
        Aggregator aggregator = new Aggregator(out, http, log);

        aggregator.run(new FileInputStream(FileDescriptor.in));
        System.exit(0);
    }
}
