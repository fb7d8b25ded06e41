package dev.capsem.backends.upstream;

import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.http.HttpFields;
import dev.capsem.backends.http.HttpResponse;
import dev.capsem.backends.http.SseReader;
import dev.capsem.wire.jsonrpc.JsonRpc;
import dev.capsem.wire.jsonrpc.JsonRpc.Parsed;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Failure;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Request;
import dev.capsem.wire.jsonrpc.JsonRpcMessage.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/// Streamable HTTP: each message is a POST, answered by JSON or by a stream of events that may break off and be
/// taken up again; what belongs to no request comes on a stream of its own, if the server has one.
final class StreamableTransport implements Transport {
    private static final Duration RETRY_DEFAULT = Duration.ofSeconds(1);
    private static final Duration RETRY_MAX = Duration.ofSeconds(30);
    /// How often in a row a broken stream is taken up again and brings nothing new before its call fails.
    private static final int RESUMES_MAX = 5;

    private final HttpClient http;
    private final Endpoint endpoint;
    private final Inbox inbox;
    private final Handle listening = new Handle();
    private volatile Optional<String> session = Optional.empty();
    private volatile Optional<String> version = Optional.empty();
    private volatile boolean isClosed;

    StreamableTransport(HttpClient http, Endpoint endpoint, Inbox inbox) {
        this.http = http;
        this.endpoint = endpoint;
        this.inbox = inbox;
    }

    @Override
    public void send(JsonRpcMessage message, OptionalLong call, Handle handle) throws UpstreamException {
        HttpFields fields = fields("application/json, text/event-stream").with("Content-Type", "application/json");
        boolean hasSession = session.isPresent();
        try (HttpResponse response =
                http.send("POST", endpoint.url(), fields, Optional.of(JsonRpc.bytes(message)), handle)) {
            if (response.status() >= 300 || response.status() < 200) {
                throw Endpoint.refusal(response, hasSession);
            }
            response.fields()
                    .first("mcp-session-id")
                    .filter(StreamableTransport::isVisible)
                    .ifPresent(id -> session = Optional.of(id));
            if (!(message instanceof Request request)) {
                response.bytes(JsonRpc.MESSAGE_BYTES_MAX);
                return;
            }
            switch (response.fields().mediaType()) {
                case "application/json" -> {
                    if (!answers(request.id(), deliver(response.bytes(JsonRpc.MESSAGE_BYTES_MAX), call))) {
                        throw UpstreamException.broken("the server's answer is not JSON-RPC for this request");
                    }
                }
                case "text/event-stream" -> stream(request.id(), response, call, handle);
                default -> throw UpstreamException.broken("the server answered with something that is not MCP");
            }
        } catch (IOException e) {
            throw UpstreamException.broken(handle.isClosed() ? "given up" : reason(e));
        }
    }

    /// Each stream is given back before the next is taken up: a connection at rest while we wait is one that the
    /// server may end, and one that nobody gives back is lost.
    private void stream(JsonRpcId id, HttpResponse first, OptionalLong call, Handle handle)
            throws UpstreamException, IOException {
        HttpResponse current = first;
        Optional<String> lastId = Optional.empty();
        for (int fruitless = 0; ; fruitless++) {
            SseReader events = new SseReader(current.body(), JsonRpc.MESSAGE_BYTES_MAX);
            try (HttpResponse _ = current) {
                if (drain(id, events, call)) {
                    return;
                }
            } catch (IOException e) {
                if ((lastId.isEmpty() && events.lastId().isEmpty()) || handle.isClosed()) {
                    throw e;
                }
            }
            if (events.lastId().isPresent() && !events.lastId().equals(lastId)) {
                lastId = events.lastId();
                fruitless = 0;
            }
            if (lastId.isEmpty() || fruitless >= RESUMES_MAX || handle.isClosed()) {
                throw UpstreamException.broken("the server ended the stream without an answer");
            }
            pause(events.retry().orElse(RETRY_DEFAULT));
            current = resume(lastId.get(), handle);
        }
    }

    private HttpResponse resume(String lastId, Handle handle) throws UpstreamException, IOException {
        HttpFields fields = fields("text/event-stream").with("Last-Event-ID", lastId);
        HttpResponse again = http.send("GET", endpoint.url(), fields, Optional.empty(), handle);
        if (again.status() != 200 || !again.fields().mediaType().equals("text/event-stream")) {
            again.close();
            throw UpstreamException.broken("the server does not take up its stream again");
        }
        return again;
    }

    /// Whether the answer came.
    private boolean drain(JsonRpcId id, SseReader events, OptionalLong call) throws IOException {
        for (Optional<SseReader.Event> event = events.next(); event.isPresent(); event = events.next()) {
            if (event.get().name().equals("message")
                    && answers(id, deliver(event.get().data().getBytes(StandardCharsets.UTF_8), call))) {
                return true;
            }
        }
        return false;
    }

    private Optional<JsonRpcMessage> deliver(byte[] bytes, OptionalLong call) {
        if (JsonRpc.parse(bytes) instanceof Parsed.Valid(JsonRpcMessage message)) {
            inbox.received(message, call);
            return Optional.of(message);
        }
        return Optional.empty();
    }

    private static boolean answers(JsonRpcId id, Optional<JsonRpcMessage> message) {
        return message.map(given -> switch (given) {
                    case Result result -> result.id().equals(id);
                    case Failure failure -> failure.id().map(id::equals).orElse(true);
                    case Request _, JsonRpcMessage.Notification _ -> false;
                })
                .orElse(false);
    }

    // --- the server's own stream --------------------------------------------------------------------------------

    @Override
    public void negotiated(String agreed) {
        version = Optional.of(agreed);
        Thread.ofVirtual().name("mcp-listen").start(this::listen);
    }

    private void listen() {
        Optional<String> lastId = Optional.empty();
        Duration wait = RETRY_DEFAULT;
        while (!isClosed) {
            HttpFields fields = fields("text/event-stream");
            if (lastId.isPresent()) {
                fields = fields.with("Last-Event-ID", lastId.get());
            }
            try (HttpResponse response = http.send("GET", endpoint.url(), fields, Optional.empty(), listening)) {
                if (response.status() == 404 && session.isPresent()) {
                    inbox.lost("the server forgot the session");
                    return;
                }
                if (response.status() != 200 || !response.fields().mediaType().equals("text/event-stream")) {
                    return;
                }
                SseReader events = new SseReader(response.body(), JsonRpc.MESSAGE_BYTES_MAX);
                for (Optional<SseReader.Event> event = events.next(); event.isPresent(); event = events.next()) {
                    deliver(event.get().data().getBytes(StandardCharsets.UTF_8), OptionalLong.empty());
                    wait = RETRY_DEFAULT;
                }
                lastId = events.lastId().isPresent() ? events.lastId() : lastId;
                wait = events.retry().orElse(wait);
            } catch (IOException e) {
                wait = wait.multipliedBy(2).compareTo(RETRY_MAX) > 0 ? RETRY_MAX : wait.multipliedBy(2);
            }
            if (!isClosed) {
                pause(wait);
            }
        }
    }

    private void pause(Duration wait) {
        try {
            Thread.sleep(wait.compareTo(RETRY_MAX) > 0 ? RETRY_MAX : wait);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpFields fields(String accept) {
        HttpFields fields = endpoint.fields().with("Accept", accept);
        if (session.isPresent()) {
            fields = fields.with("Mcp-Session-Id", session.get());
        }
        if (version.isPresent()) {
            fields = fields.with("MCP-Protocol-Version", version.get());
        }
        return fields;
    }

    /// Says good-bye, if there is a session to end.
    @Override
    public void close() {
        isClosed = true;
        listening.close();
        if (session.isEmpty()) {
            return;
        }
        try (HttpResponse response =
                http.send("DELETE", endpoint.url(), fields("*/*"), Optional.empty(), HttpClient.Watch.NOBODY)) {
            response.status();
        } catch (IOException e) {
            // A server that does not hear it will forget the session by itself.
            session = Optional.empty();
        }
    }

    private static boolean isVisible(String id) {
        return !id.isEmpty() && id.length() <= 1024 && id.chars().allMatch(c -> c > 0x20 && c < 0x7F);
    }

    static String reason(IOException e) {
        return e.getMessage() == null ? "the connection broke" : "the connection broke: " + e.getMessage();
    }
}
