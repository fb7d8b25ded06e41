package dev.capsem.bench.mcp;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// How soon a client inside a sandbox hears that its call is lost, when the aggregator is killed in the middle of it.
/// The call waits in a server of this program, on loopback, that never answers.
public final class LostCallBench implements AutoCloseable {
    public static final String PROFILE = "bench-lost-call";

    private static final String SCRIPT = "/root/lost.mjs";
    private static final String TOOL = "never__answers";

    private final HttpServer server;
    private final Semaphore arrived = new Semaphore(0);
    private final Semaphore end = new Semaphore(0);

    public LostCallBench() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/mcp", this::serve);
        server.start();
    }

    /// Lets a sandbox use the server.
    public String profile() {
        int port = server.getAddress().getPort();
        return """
                schema = "capsem.profile.v2"
                id = "%s"
                name = "Lost calls"
                description = "A server that never answers."
                extends = "coding"

                [mcpServers.never]
                url = "http://127.0.0.1:%d/mcp"

                [security.rules.mcp.never]
                on = "mcp.request"
                if = 'mcp.request.server_name == "never"'
                decision = "allow"
                priority = 10
                """.formatted(PROFILE, port);
    }

    /// Milliseconds from the kill to the error, round by round.
    ///
    /// @param aggregator the running one of this sandbox
    public List<Double> run(ServiceClient service, String sandbox, int rounds, Supplier<ProcessHandle> aggregator)
            throws IOException {
        service.writeFile(sandbox, SCRIPT, script());
        List<Double> millis = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            CompletableFuture<ExecReply> client = CompletableFuture.supplyAsync(
                    () -> service.exec(sandbox, ExecRequest.argv(List.of("node", SCRIPT, TOOL))),
                    Thread.ofVirtual()::start);
            awaitCall(client);
            ProcessHandle victim = aggregator.get();
            long killedAt = System.nanoTime();
            victim.destroyForcibly();
            JsonNode heard = Json.parse(client.join().stdout().strip());
            if (!heard.path("error").asString("").contains("aggregator")) {
                throw new IllegalStateException("not the error of a lost call: " + heard);
            }
            millis.add((heard.path("at").asLong() - killedAt) / 1e6);
        }
        return millis;
    }

    private void awaitCall(CompletableFuture<ExecReply> client) {
        try {
            while (!arrived.tryAcquire(100, TimeUnit.MILLISECONDS)) {
                if (client.isDone()) {
                    throw new IllegalStateException("the call did not arrive: "
                            + client.join().stdout() + client.join().stderr());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            JsonNode message = exchange.getRequestMethod().equals("POST")
                    ? Json.parse(exchange.getRequestBody().readAllBytes())
                    : Json.object();
            if (!message.has("id")) {
                exchange.sendResponseHeaders(message.has("method") ? 202 : 405, -1);
                return;
            }
            ObjectNode reply = Json.object().put("jsonrpc", "2.0");
            reply.set("id", message.get("id"));
            reply.set("result", result(message.path("method").asString("")));
            byte[] bytes = Json.text(reply).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private ObjectNode result(String method) {
        ObjectNode result = Json.object();
        switch (method) {
            case "initialize" -> {
                result.put("protocolVersion", "2025-11-25")
                        .putObject("capabilities")
                        .putObject("tools");
                result.putObject("serverInfo").put("name", "never").put("version", "1");
            }
            case "tools/list" ->
                result.putArray("tools")
                        .addObject()
                        .put("name", "answers")
                        .put("description", "Waits.")
                        .putObject("inputSchema")
                        .put("type", "object");
            case "tools/call" -> {
                arrived.release();
                end.acquireUninterruptibly();
            }
            default -> {}
        }
        return result;
    }

    private static byte[] script() throws IOException {
        try (InputStream in = LostCallBench.class.getResourceAsStream("lost.mjs")) {
            if (in == null) {
                throw new IllegalStateException("lost.mjs is not in the jar");
            }
            return in.readAllBytes();
        }
    }

    @Override
    public void close() {
        end.release(Integer.MAX_VALUE / 2);
        server.stop(0);
    }
}
