package dev.capsem.backends.upstream;

import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.http.HttpFields;
import dev.capsem.backends.http.HttpResponse;
import dev.capsem.backends.http.HttpUrl;
import dev.capsem.backends.http.SseReader;
import dev.capsem.wire.jsonrpc.JsonRpc;
import dev.capsem.wire.jsonrpc.JsonRpc.Parsed;
import dev.capsem.wire.jsonrpc.JsonRpcMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// HTTP with server-sent events, as of 2024-11-05: one stream carries everything back, and its first event says
/// where to post.
final class LegacySseTransport implements Transport {
    private static final long ENDPOINT_SECONDS_MAX = 10;

    private final HttpClient http;
    private final Endpoint endpoint;
    private final Inbox inbox;
    private final Handle listening = new Handle();
    private final CompletableFuture<HttpUrl> target = new CompletableFuture<>();

    private LegacySseTransport(HttpClient http, Endpoint endpoint, Inbox inbox) {
        this.http = http;
        this.endpoint = endpoint;
        this.inbox = inbox;
    }

    static LegacySseTransport open(HttpClient http, Endpoint endpoint, Inbox inbox)
            throws UpstreamException, InterruptedException {
        LegacySseTransport transport = new LegacySseTransport(http, endpoint, inbox);
        Thread.ofVirtual().name("mcp-sse").start(transport::listen);
        try {
            transport.target.get(ENDPOINT_SECONDS_MAX, TimeUnit.SECONDS);
            return transport;
        } catch (ExecutionException e) {
            transport.close();
            throw e.getCause() instanceof UpstreamException refusal
                    ? refusal
                    : UpstreamException.broken("the server speaks neither kind of HTTP that MCP knows");
        } catch (TimeoutException e) {
            transport.close();
            throw UpstreamException.broken("the server does not say where to post");
        }
    }

    private void listen() {
        try (HttpResponse response = http.send(
                "GET",
                endpoint.url(),
                endpoint.fields().with("Accept", "text/event-stream"),
                Optional.empty(),
                listening)) {
            if (response.status() != 200 || !response.fields().mediaType().equals("text/event-stream")) {
                target.completeExceptionally(Endpoint.refusal(response, false));
                return;
            }
            SseReader events = new SseReader(response.body(), JsonRpc.MESSAGE_BYTES_MAX);
            for (Optional<SseReader.Event> event = events.next(); event.isPresent(); event = events.next()) {
                received(event.get());
            }
            lost("the server ended its stream");
        } catch (IOException e) {
            lost(StreamableTransport.reason(e));
        }
    }

    /// The address may not lead to another server: it gets our headers and token.
    private void received(SseReader.Event event) {
        if (event.name().equals("endpoint")) {
            Optional<HttpUrl> url = endpoint.url().resolve(event.data()).filter(endpoint.url()::isSameOrigin);
            if (url.isPresent()) {
                target.complete(url.get());
            } else {
                target.completeExceptionally(UpstreamException.broken("the server sends us to another server"));
            }
            return;
        }
        if (JsonRpc.parse(event.data().getBytes(StandardCharsets.UTF_8))
                instanceof Parsed.Valid(JsonRpcMessage message)) {
            inbox.received(message, OptionalLong.empty());
        }
    }

    private void lost(String reason) {
        target.completeExceptionally(UpstreamException.broken(reason));
        inbox.lost(reason);
    }

    @Override
    public void send(JsonRpcMessage message, OptionalLong call, Handle handle) throws UpstreamException {
        HttpFields fields = endpoint.fields().with("Content-Type", "application/json");
        HttpUrl url = target.getNow(endpoint.url());
        try (HttpResponse response = http.send("POST", url, fields, Optional.of(JsonRpc.bytes(message)), handle)) {
            if (response.status() >= 300 || response.status() < 200) {
                throw Endpoint.refusal(response, true);
            }
            response.bytes(JsonRpc.MESSAGE_BYTES_MAX);
        } catch (IOException e) {
            throw UpstreamException.broken(handle.isClosed() ? "given up" : StreamableTransport.reason(e));
        }
    }

    @Override
    public void negotiated(String version) {}

    @Override
    public void close() {
        listening.close();
    }
}
