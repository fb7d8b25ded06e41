package dev.capsem.bench.mcp;

import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// Echo calls through the whole chain and beside it.
///
/// @param clients where npm's packages are
public record McpBench(Path dist, Path clients, ServiceClient service, String sandbox) {
    private static final int[] CALLS_AT_ONCE = {1, 10, 50, 200};
    private static final int SECONDS = 3;
    private static final int TRIES_MAX = 100;
    private static final String SCRIPT = "/root/load.mjs";

    /// @param route the chain, or what it is beside
    /// @param p50 in milliseconds
    public record Row(String route, int callsAtOnce, double perSecond, double p50, double p99) {}

    /// Empty if there is no node to make the load with.
    public static Optional<String> missing() throws IOException {
        try {
            return new ProcessBuilder("node", "--version")
                                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                                    .start()
                                    .waitFor()
                            == 0
                    ? Optional.empty()
                    : Optional.of("node does not run");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (IOException e) {
            return Optional.of("node is not installed; run scripts/setup --tests");
        }
    }

    public List<Row> run() throws IOException {
        byte[] script = script();
        service.writeFile(sandbox, SCRIPT, script);
        Path local = Files.createTempFile("csload", ".mjs");
        try {
            Files.write(local, script);
            List<Row> rows = new ArrayList<>();
            for (int calls : CALLS_AT_ONCE) {
                rows.add(through(calls));
                rows.add(beside("direct", local, calls, builtin().toString()));
            }
            if (Files.isExecutable(proxy())) {
                behindProxy(local, rows);
            }
            return rows;
        } finally {
            Files.delete(local);
        }
    }

    private Row through(int calls) {
        ExecReply reply = service.exec(
                sandbox,
                ExecRequest.argv(List.of(
                        "node",
                        SCRIPT,
                        "local__echo",
                        Integer.toString(calls),
                        Integer.toString(SECONDS),
                        "capsem-mcp-server")));
        if (reply.exitCode() != 0) {
            throw new IllegalStateException("the load failed: " + reply.stderr());
        }
        return row("capsem", calls, reply.stdout());
    }

    private static Row beside(String route, Path script, int calls, String server) throws IOException {
        Process load = new ProcessBuilder(
                        "node", script.toString(), "echo", Integer.toString(calls), Integer.toString(SECONDS), server)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (InputStream out = load.getInputStream()) {
            return row(route, calls, new String(out.readAllBytes(), StandardCharsets.UTF_8));
        } finally {
            load.destroy();
        }
    }

    private void behindProxy(Path script, List<Row> rows) throws IOException {
        int port = freePort();
        Process process = new ProcessBuilder(
                        proxy().toString(),
                        "--host",
                        "127.0.0.1",
                        "--port",
                        Integer.toString(port),
                        "--server",
                        "stream",
                        "--",
                        builtin().toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            awaitPort(port);
            for (int calls : CALLS_AT_ONCE) {
                rows.add(beside("mcp-proxy", script, calls, "http://127.0.0.1:" + port + "/mcp"));
            }
        } finally {
            process.destroy();
        }
    }

    private static Row row(String route, int calls, String output) {
        JsonNode json = Json.parse(output.strip());
        return new Row(
                route,
                calls,
                json.get("per_second").asDouble(),
                json.get("p50").asDouble(),
                json.get("p99").asDouble());
    }

    private Path builtin() {
        return dist.resolve("bin/capsem-mcp-builtin");
    }

    private Path proxy() {
        return clients.resolve("node_modules/.bin/mcp-proxy");
    }

    private static byte[] script() throws IOException {
        try (InputStream in = McpBench.class.getResourceAsStream("load.mjs")) {
            if (in == null) {
                throw new IllegalStateException("load.mjs is not in the jar");
            }
            return in.readAllBytes();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void awaitPort(int port) throws IOException {
        for (int i = 0; i < TRIES_MAX; i++) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1_000);
                return;
            } catch (IOException notYet) {
                pause();
            }
        }
        throw new IOException("mcp-proxy does not listen");
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(100);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
