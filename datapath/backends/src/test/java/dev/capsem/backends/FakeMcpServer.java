package dev.capsem.backends;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// A Streamable HTTP server on loopback that behaves as a test tells it to.
public final class FakeMcpServer implements AutoCloseable {
    /// What it does with a call of a tool, or with another method; anything not named echoes.
    public interface Behaviour {
        void answer(HttpExchange exchange, JsonNode request) throws IOException;
    }

    public final List<String> log = new CopyOnWriteArrayList<>();
    public final List<Map<String, List<String>>> headers = new CopyOnWriteArrayList<>();
    public final List<String> tools = new CopyOnWriteArrayList<>(List.of("echo"));
    public final Map<String, Behaviour> behaviours = new ConcurrentHashMap<>();
    public final CountDownLatch release = new CountDownLatch(1);
    public final AtomicInteger sessions = new AtomicInteger();
    public volatile int refuseWith;
    private final HttpServer server;

    public FakeMcpServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/mcp", this::handle);
        server.start();
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/mcp";
    }

    private void handle(HttpExchange exchange) throws IOException {
        headers.add(Map.copyOf(exchange.getRequestHeaders()));
        if (refuseWith != 0) {
            exchange.getResponseHeaders()
                    .add("WWW-Authenticate", "Bearer resource_metadata=\"https://x/.well-known/oauth\"");
            exchange.sendResponseHeaders(refuseWith, -1);
            exchange.close();
            return;
        }
        if (!exchange.getRequestMethod().equals("POST")) {
            log.add(exchange.getRequestMethod());
            Behaviour get = behaviours.get(exchange.getRequestMethod());
            if (get != null) {
                get.answer(exchange, Json.object());
            } else {
                exchange.sendResponseHeaders(405, -1);
                exchange.close();
            }
            return;
        }
        JsonNode request = Json.parse(exchange.getRequestBody().readAllBytes());
        String method = request.path("method").asString("answer");
        log.add(method);
        String session = "s" + sessions.get();
        if (!method.equals("initialize")
                && !session.equals(exchange.getRequestHeaders().getFirst("Mcp-Session-Id"))) {
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
            return;
        }
        if (!request.has("id") || !request.has("method")) {
            exchange.sendResponseHeaders(202, -1);
            exchange.close();
            return;
        }
        String what = method.equals("tools/call")
                ? request.path("params").path("name").asString("")
                : method;
        Behaviour behaviour = behaviours.get(what);
        if (behaviour != null) {
            behaviour.answer(exchange, request);
            return;
        }
        json(exchange, request, result(exchange, method, request));
    }

    private ObjectNode result(HttpExchange exchange, String method, JsonNode request) {
        ObjectNode result = Json.object();
        switch (method) {
            case "initialize" -> {
                exchange.getResponseHeaders().add("Mcp-Session-Id", "s" + sessions.incrementAndGet());
                result.put("protocolVersion", "2025-06-18");
                result.putObject("capabilities").putObject("tools").put("listChanged", true);
                result.putObject("serverInfo").put("name", "fake").put("version", "1");
            }
            case "tools/list" -> {
                ArrayNode list = result.putArray("tools");
                tools.forEach(name -> list.addObject().put("name", name).putObject("inputSchema"));
            }
            default ->
                result.putArray("content")
                        .addObject()
                        .put("type", "text")
                        .put("text", Json.text(request.path("params").path("arguments")));
        }
        return result;
    }

    public static void json(HttpExchange exchange, JsonNode request, ObjectNode result) throws IOException {
        ObjectNode reply = Json.object().put("jsonrpc", "2.0");
        reply.set("id", request.get("id"));
        reply.set("result", result);
        raw(exchange, "application/json", Json.bytes(reply));
    }

    public static void raw(HttpExchange exchange, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().add("Content-Type", type);
        exchange.sendResponseHeaders(200, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    public static void events(HttpExchange exchange, String text) throws IOException {
        exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Override
    public void close() {
        release.countDown();
        server.stop(0);
    }
}
