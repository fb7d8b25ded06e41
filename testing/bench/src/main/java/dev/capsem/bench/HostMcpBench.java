package dev.capsem.bench;

import dev.capsem.wire.json.Json;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Sandboxes through capsem-mcp, as an agent on the host sees them.
record HostMcpBench(Path dist) implements BenchMain.Part {
    @Override
    public void run(Consumer<Measurement> found) throws IOException {
        try (BenchHome home = BenchHome.start(dist)) {
            double[] start = new double[10];
            for (int round = 0; round < start.length; round++) {
                long from = System.nanoTime();
                try (Conversation agent = new Conversation(dist, home.directory())) {
                    agent.initialize();
                    start[round] = (System.nanoTime() - from) / 1e6;
                }
            }
            found.accept(new Measurement.Latency(
                    "capsem-mcp: start to first reply",
                    Measurement.latency("", start).millis(),
                    Optional.of(700.0),
                    Optional.empty()));
            try (Conversation agent = new Conversation(dist, home.directory())) {
                agent.initialize();
                calls(agent, found);
            }
        }
    }

    private static void calls(Conversation agent, Consumer<Measurement> found) throws IOException {
        double[] create = new double[10];
        for (int round = 0; round < create.length; round++) {
            // The spare is replaced in the background.
            BenchStopwatch.pause(1500);
            String[] id = new String[1];
            create[round] = BenchStopwatch.millis(() -> id[0] =
                    agent.call("capsem_create", Json.object()).path("id").asString());
            agent.call("capsem_delete", Json.object().put("id", id[0]));
        }
        found.accept(Measurement.latency("capsem-mcp: capsem_create", create));
        String id = agent.call("capsem_create", Json.object()).path("id").asString();
        ObjectNode exec = Json.object().put("id", id).put("command", "true");
        BenchStopwatch.millis(200, () -> agent.call("capsem_exec", exec));
        found.accept(new Measurement.Latency(
                "capsem-mcp: capsem_exec true",
                Measurement.latency("", BenchStopwatch.millis(500, () -> agent.call("capsem_exec", exec)))
                        .millis(),
                Optional.of(3.0),
                Optional.of(10.0)));
        found.accept(Measurement.latency(
                "capsem-mcp: capsem_list", BenchStopwatch.millis(200, () -> agent.call("capsem_list", Json.object()))));
    }

    /// One capsem-mcp and its client, a question at a time.
    private static final class Conversation implements Closeable {
        private final Process process;
        private final OutputStream to;
        private final BufferedReader from;
        private int last;

        Conversation(Path dist, Path home) throws IOException {
            var builder =
                    new ProcessBuilder(dist.resolve("bin").resolve("capsem-mcp").toString());
            builder.environment().put("CAPSEM_HOME", home.toString());
            builder.redirectError(ProcessBuilder.Redirect.DISCARD);
            process = builder.start();
            to = process.getOutputStream();
            from = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        }

        void initialize() throws IOException {
            ask("initialize", Json.object().put("protocolVersion", "2025-11-25"));
        }

        JsonNode call(String tool, ObjectNode arguments) throws IOException {
            ObjectNode params = Json.object().put("name", tool);
            params.set("arguments", arguments);
            JsonNode result = ask("tools/call", params).path("result");
            if (result.path("isError").asBoolean(false)) {
                throw new IOException(result.path("content").toString());
            }
            return result.path("structuredContent");
        }

        private JsonNode ask(String method, ObjectNode params) throws IOException {
            last++;
            ObjectNode message =
                    Json.object().put("jsonrpc", "2.0").put("id", last).put("method", method);
            message.set("params", params);
            to.write((Json.text(message) + "\n").getBytes(StandardCharsets.UTF_8));
            to.flush();
            String line = from.readLine();
            if (line == null) {
                throw new IOException("capsem-mcp ended");
            }
            return Json.parse(line);
        }

        @Override
        public void close() throws IOException {
            to.close();
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
