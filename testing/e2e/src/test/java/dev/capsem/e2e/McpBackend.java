package dev.capsem.e2e;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import javax.net.ssl.SSLContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// An MCP server over Streamable HTTP on loopback that keeps a log of every call that reached it.
final class McpBackend implements AutoCloseable {
    private final HttpServer server;
    private final List<JsonNode> calls = new CopyOnWriteArrayList<>();
    private final Semaphore slowCalls = new Semaphore(0);
    private final Semaphore letGo = new Semaphore(0);
    private volatile String description = "Answers with its arguments.";
    private volatile String classified = "the plan is top-secret-42";

    McpBackend() {
        this(Optional.empty());
    }

    /// @param tls its certificate, if it wants to be spoken to over TLS
    McpBackend(Optional<SSLContext> tls) {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try {
            if (tls.isPresent()) {
                HttpsServer secured = HttpsServer.create(address, 0);
                secured.setHttpsConfigurator(new HttpsConfigurator(tls.get()));
                server = secured;
            } else {
                server = HttpServer.create(address, 0);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/mcp", this::serve);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /// The `params` of every `tools/call` that came.
    List<JsonNode> calls(String tool) {
        return calls.stream()
                .filter(call -> call.path("name").asString().equals(tool))
                .toList();
    }

    /// From now on its tools are described otherwise.
    void describe(String text) {
        description = text;
    }

    /// From now on `classified` says this.
    void answer(String text) {
        classified = text;
    }

    /// Waits until a call of `slow` is under way.
    void awaitSlowCall() throws InterruptedException {
        slowCalls.acquire();
    }

    @Override
    public void close() {
        letGo.release(1_000);
        server.stop(0);
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!exchange.getRequestMethod().equals("POST")) {
                exchange.sendResponseHeaders(405, -1);
                return;
            }
            JsonNode message = Installation.JSON.readTree(exchange.getRequestBody());
            if (!message.has("id")) {
                exchange.sendResponseHeaders(202, -1);
                return;
            }
            ObjectNode reply = Installation.JSON.createObjectNode().put("jsonrpc", "2.0");
            reply.set("id", message.get("id"));
            reply.set("result", result(message.path("method").asString(), message.path("params")));
            byte[] bytes = reply.toString().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("content-type", "application/json");
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private ObjectNode result(String method, JsonNode params) {
        ObjectNode result = Installation.JSON.createObjectNode();
        switch (method) {
            case "initialize" -> {
                result.put("protocolVersion", "2025-11-25");
                result.putObject("capabilities").putObject("tools");
                result.putObject("serverInfo").put("name", "backend").put("version", "1");
            }
            case "tools/list" -> {
                ArrayNode tools = result.putArray("tools");
                for (String name : List.of("mirror", "forbidden", "risky", "classified", "slow")) {
                    tools.addObject()
                            .put("name", name)
                            .put("description", description)
                            .putObject("inputSchema")
                            .put("type", "object");
                }
            }
            case "tools/call" -> call(params, result);
            default -> {}
        }
        return result;
    }

    private void call(JsonNode params, ObjectNode result) {
        calls.add(params);
        if (params.path("name").asString().equals("slow")) {
            slowCalls.release();
            letGo.acquireUninterruptibly();
        }
        String text = params.path("name").asString().equals("classified")
                ? classified
                : params.path("arguments").toString();
        result.putArray("content").addObject().put("type", "text").put("text", text);
    }
}
