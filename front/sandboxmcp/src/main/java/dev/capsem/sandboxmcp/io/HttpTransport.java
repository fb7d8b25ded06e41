package dev.capsem.sandboxmcp.io;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.capsem.toolserver.ServerSession;
import dev.capsem.toolserver.StdioShell;
import dev.capsem.toolserver.ToolServer;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpc;
import dev.capsem.wire.jsonrpc.JsonRpcError;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Failure;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Notification;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Request;
import dev.capsem.wire.mcp.McpVersions;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// MCP's Streamable HTTP on loopback: `POST /mcp` with one message; the answer is JSON, or a stream of events for calls
/// that may take long. Requests that a web page of somebody else could make are refused by Host and Origin.
public final class HttpTransport implements AutoCloseable {
    private static final String PATH = "/mcp";
    private static final String SESSION = "Mcp-Session-Id";
    private static final int HTTP_PORT = 80;
    private static final List<String> LOCAL_NAMES = List.of("127.0.0.1", "localhost", "::1", "[::1]");

    private final HttpServer http;
    private final HttpSessions sessions;
    private final Optional<BearerToken> password;

    private HttpTransport(HttpServer http, HttpSessions sessions, Optional<BearerToken> password) {
        this.http = http;
        this.sessions = sessions;
        this.password = password;
    }

    /// @param port 0 for any
    public static HttpTransport start(int port, Optional<BearerToken> password, ToolServer server, Consumer<String> log)
            throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 64);
        var transport = new HttpTransport(http, new HttpSessions(server, log), password);
        http.setExecutor(Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("http-", 0).factory()));
        http.createContext(PATH, transport::handle);
        http.start();
        return transport;
    }

    public URI address() {
        return URI.create("http://127.0.0.1:" + http.getAddress().getPort() + PATH);
    }

    @Override
    public void close() {
        http.stop(0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Optional<Integer> refusal = refusal(exchange);
            if (refusal.isPresent()) {
                refuse(exchange, refusal.get(), "refused: " + reason(refusal.get()));
                return;
            }
            switch (exchange.getRequestMethod()) {
                case "POST" -> post(exchange);
                case "DELETE" -> {
                    boolean wasThere = sessions.end(header(exchange, SESSION).orElse(""));
                    exchange.sendResponseHeaders(wasThere ? 204 : 404, -1);
                }
                default -> {
                    exchange.getResponseHeaders().set("Allow", "POST, DELETE");
                    refuse(exchange, 405, "this server sends nothing unasked");
                }
            }
        }
    }

    /// Against pages in the user's own browser, which reach loopback but cannot choose these headers.
    private Optional<Integer> refusal(HttpExchange exchange) {
        boolean isForeignHost = header(exchange, "Host")
                .map(HttpTransport::host)
                .filter(LOCAL_NAMES::contains)
                .isEmpty();
        boolean isForeignOrigin = header(exchange, "Origin")
                .filter(origin -> !isOwn(origin, http.getAddress().getPort()))
                .isPresent();
        if (isForeignHost || isForeignOrigin) {
            return Optional.of(403);
        }
        return password.isEmpty() || isEqual(header(exchange, "Authorization").orElse(""), password.get())
                ? Optional.empty()
                : Optional.of(401);
    }

    private static boolean isEqual(String given, BearerToken wanted) {
        return MessageDigest.isEqual(
                given.getBytes(StandardCharsets.UTF_8), wanted.header().getBytes(StandardCharsets.UTF_8));
    }

    private static String host(String value) {
        int colon = value.lastIndexOf(':');
        return colon > value.lastIndexOf(']') ? value.substring(0, colon) : value;
    }

    /// Whether a page of this origin came from this very server: another port of this host is another program's.
    static boolean isOwn(String origin, int port) {
        try {
            URI uri = URI.create(origin);
            return "http".equalsIgnoreCase(uri.getScheme())
                    && LOCAL_NAMES.contains(Optional.ofNullable(uri.getHost()).orElse(""))
                    && (uri.getPort() < 0 ? HTTP_PORT : uri.getPort()) == port;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private void post(HttpExchange exchange) throws IOException {
        String accept = header(exchange, "Accept").orElse("*/*");
        if (!accept.contains("*/*") && !(accept.contains("application/json") && accept.contains("text/event-stream"))) {
            refuse(exchange, 406, "accept both application/json and text/event-stream");
            return;
        }
        if (!header(exchange, "Content-Type").orElse("").startsWith("application/json")) {
            refuse(exchange, 415, "send application/json");
            return;
        }
        byte[] body = exchange.getRequestBody().readNBytes(StdioShell.LINE_BYTES_MAX + 1);
        switch (JsonRpc.parse(body, StdioShell.LINE_BYTES_MAX)) {
            case JsonRpc.Parsed.Invalid(Optional<JsonRpcId> id, JsonRpcError error) ->
                json(exchange, 400, new Failure(id, error));
            case JsonRpc.Parsed.Valid(JsonRpcMessage message) -> take(exchange, message);
        }
    }

    private void take(HttpExchange exchange, JsonRpcMessage message) throws IOException {
        if (message instanceof Request request && request.method().equals("initialize")) {
            HttpSessions.Opened opened = sessions.open();
            exchange.getResponseHeaders().set(SESSION, opened.id());
            answer(exchange, opened.session(), request);
            return;
        }
        Optional<String> version = header(exchange, "MCP-Protocol-Version");
        if (version.isPresent() && !McpVersions.SUPPORTED.contains(version.get())) {
            refuse(exchange, 400, "this MCP-Protocol-Version is not spoken here");
            return;
        }
        Optional<String> id = header(exchange, SESSION);
        Optional<ServerSession> session = id.flatMap(sessions::find);
        if (session.isEmpty()) {
            refuse(exchange, id.isEmpty() ? 400 : 404, "there is no such session; begin with initialize");
            return;
        }
        switch (message) {
            case Request request -> answer(exchange, session.get(), request);
            case Notification notification -> {
                session.get().noted(notification);
                exchange.sendResponseHeaders(202, -1);
            }
            case JsonRpcMessage _ -> exchange.sendResponseHeaders(202, -1);
        }
    }

    private static void answer(HttpExchange exchange, ServerSession session, Request request) throws IOException {
        if (ServerSession.isQuick(request)) {
            JsonRpcMessage[] reply = new JsonRpcMessage[1];
            session.answer(request, message -> reply[0] = message);
            json(exchange, 200, reply[0]);
            return;
        }
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            var events = new Events(out);
            session.answer(request, events::send);
        }
    }

    /// Server-sent events of one request.
    private static final class Events {
        private final OutputStream out;

        /// Guards `out`.
        private final ReentrantLock lock = new ReentrantLock();

        Events(OutputStream out) {
            this.out = out;
        }

        void send(JsonRpcMessage message) {
            lock.lock();
            try {
                out.write("event: message\ndata: ".getBytes(StandardCharsets.UTF_8));
                out.write(JsonRpc.bytes(message));
                out.write("\n\n".getBytes(StandardCharsets.UTF_8));
                out.flush();
            } catch (IOException e) {
                // The client is gone; that is no cancellation, so the call goes on.
            } finally {
                lock.unlock();
            }
        }
    }

    private static void json(HttpExchange exchange, int status, @Nullable JsonRpcMessage message) throws IOException {
        byte[] body = message == null ? Json.bytes(Json.object()) : JsonRpc.bytes(message);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    private static void refuse(HttpExchange exchange, int status, String why) throws IOException {
        json(exchange, status, new Failure(Optional.empty(), JsonRpcError.of(JsonRpcError.INVALID_REQUEST, why)));
    }

    private static String reason(int status) {
        return status == 401 ? "send the bearer token" : "only programs on this host may call";
    }

    private static Optional<String> header(HttpExchange exchange, String name) {
        return Optional.ofNullable(exchange.getRequestHeaders().getFirst(name));
    }
}
