package dev.capsem.sandboxmcp.io;

import dev.capsem.sandboxmcp.tools.SandboxServerClient;
import dev.capsem.sandboxmcp.tools.ServerRefusal;
import dev.capsem.wire.aggregator.LineSplitter;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/// The sandbox server over HTTP. Logs nothing; redirects are not followed, for they would carry the token away.
public final class HttpSandboxServerClient implements SandboxServerClient {
    private static final Duration CONNECT_WAIT = Duration.ofSeconds(10);
    /// A file of 10 MiB in base64, and what stands around it.
    private static final int ANSWER_BYTES_MAX = 16 * 1_048_576;
    private static final int ERROR_LENGTH_MAX = 4_096;
    private static final int LINE_BYTES_MAX = 4 * 1_048_576;

    private final URI base;
    private final Optional<BearerToken> token;
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(CONNECT_WAIT)
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    public HttpSandboxServerClient(URI base, Optional<BearerToken> token) {
        this.base = base;
        this.token = token;
    }

    @Override
    public JsonNode send(Request request) throws InterruptedException {
        HttpResponse<byte[]> response =
                answer(request, BodyHandlers.limiting(BodyHandlers.ofByteArray(), ANSWER_BYTES_MAX));
        if (response.statusCode() / 100 != 2) {
            throw refused(request, response.statusCode(), response.body());
        }
        return parsed(response.body())
                .orElseThrow(() -> ServerRefusal.unreachable(
                        what(request) + ": the answer is not JSON", "is this the address of a sandbox server?"));
    }

    @Override
    public void stream(Request request, Consumer<JsonNode> lines) throws InterruptedException {
        HttpResponse<InputStream> response = answer(request, BodyHandlers.ofInputStream());
        try (InputStream body = response.body()) {
            if (response.statusCode() / 100 != 2) {
                throw refused(request, response.statusCode(), body.readNBytes(ANSWER_BYTES_MAX));
            }
            var splitter = new LineSplitter(LINE_BYTES_MAX);
            byte[] chunk = new byte[65_536];
            for (int count = body.read(chunk); count >= 0; count = body.read(chunk)) {
                splitter.feed(chunk, count, cut -> {
                    if (cut instanceof LineSplitter.Cut.Line(byte[] line) && line.length > 0) {
                        parsed(line).ifPresent(lines);
                    }
                });
            }
        } catch (IOException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            throw lost(request, e);
        }
    }

    private <T> HttpResponse<T> answer(Request request, BodyHandler<T> handler) throws InterruptedException {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(base + request.path()));
        builder.header("Accept", "application/json, application/x-ndjson");
        token.ifPresent(value -> builder.header("Authorization", value.header()));
        request.idempotencyKey().ifPresent(key -> builder.header("Idempotency-Key", key));
        request.body()
                .ifPresentOrElse(
                        body -> builder.header("Content-Type", "application/json")
                                .method(request.method(), HttpRequest.BodyPublishers.ofByteArray(Json.bytes(body))),
                        () -> builder.method(request.method(), HttpRequest.BodyPublishers.noBody()));
        CompletableFuture<HttpResponse<T>> answer = client.sendAsync(builder.build(), handler);
        try {
            return answer.get(request.patience().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            answer.cancel(true);
            throw e;
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw ServerRefusal.unreachable(
                    what(request) + ": no answer within " + request.patience().toSeconds() + " s",
                    "the server may be busy: look at it before you try again");
        } catch (ExecutionException e) {
            throw lost(request, Objects.requireNonNullElse(e.getCause(), e));
        }
    }

    private ServerRefusal refused(Request request, int status, byte[] body) {
        String text = redacted(new String(body, StandardCharsets.UTF_8));
        Optional<JsonNode> json = parsed(text.getBytes(StandardCharsets.UTF_8));
        String shown = text.length() > ERROR_LENGTH_MAX ? text.substring(0, ERROR_LENGTH_MAX) + "…" : text;
        return ServerRefusal.of(what(request), status, shown, json);
    }

    private ServerRefusal lost(Request request, Throwable cause) {
        String why = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return ServerRefusal.unreachable(
                redacted(what(request) + ": " + why),
                "is the sandbox server up at " + base + "? --server or MITOS_BASE_URL choose another");
    }

    private String redacted(String text) {
        return token.map(value -> value.redacted(text)).orElse(text);
    }

    private static String what(Request request) {
        return request.method() + " " + request.path();
    }

    private static Optional<JsonNode> parsed(byte[] json) {
        try {
            return Optional.of(Json.parse(json));
        } catch (JsonShapeException e) {
            return Optional.empty();
        }
    }
}
