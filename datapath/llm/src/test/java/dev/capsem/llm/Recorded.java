package dev.capsem.llm;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.Caller;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.traffic.ModelTap;
import dev.capsem.events.vocabulary.AttributionScope;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.events.vocabulary.OriginKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;

/// A recorded call: what was asked and what came back.
record Recorded(String name, HttpRequest head, byte[] request, int status, byte[] reply) {
    static final Instant AT = Instant.parse("2026-06-01T12:00:00Z");
    static final Path DIRECTORY = Path.of("src", "test", "golden");

    /// Configured, so that a request is a call whatever a test makes of its body.
    private static final List<ModelEndpoint> ENDPOINTS = List.of(
            ModelEndpoint.of("ollama", URI.create("http://ollama.example:11434")),
            ModelEndpoint.of("bedrock", URI.create("https://bedrock-runtime.eu-west-1.amazonaws.com")));

    static final Envelope ENVELOPE = Envelope.inline(
            new EventId("ev-1"),
            AT,
            new Attribution(
                    AttributionScope.SESSION,
                    OriginKind.GUEST_NETWORK,
                    Optional.empty(),
                    Optional.of("vm-1"),
                    Optional.of("s-1"),
                    Optional.of("coding"),
                    Optional.empty(),
                    Optional.empty()),
            Correlation.NONE);

    static final ModelTap.Facts FACTS = new ModelTap.Facts(
            AT,
            Duration.ofMillis(1234),
            new Caller(Optional.of("claude"), OptionalLong.of(7)),
            10,
            20,
            Optional.empty());

    static List<Recorded> all() {
        try (Stream<Path> cases = Files.list(DIRECTORY)) {
            return cases.filter(Files::isDirectory).sorted().map(Recorded::read).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Recorded named(String name) {
        return read(DIRECTORY.resolve(name));
    }

    private static Recorded read(Path directory) {
        try {
            String[] call =
                    Files.readString(directory.resolve("call.txt")).strip().split(" ");
            return new Recorded(
                    String.valueOf(directory.getFileName()),
                    head(call[0], call[1]),
                    Files.readAllBytes(directory.resolve("request.json")),
                    call.length > 2 ? Integer.parseInt(call[2]) : 200,
                    Files.readAllBytes(directory.resolve("reply.txt")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static HttpRequest head(String method, String url) {
        URI uri = URI.create(url);
        return new HttpRequest(
                ENVELOPE,
                method,
                uri.getScheme(),
                uri.getHost(),
                uri.getPort() < 0 ? 443 : uri.getPort(),
                uri.getRawPath(),
                Optional.ofNullable(uri.getRawQuery()),
                Headers.of("content-type", "application/json"),
                Body.NONE);
    }

    static ModelObserver observer() {
        return new ModelObserver(ENDPOINTS, new IdSource(() -> AT, new Random(1)));
    }

    Recorded withReply(byte[] other) {
        return new Recorded(name, head, request, status, other);
    }

    /// Opens a tap that was shown the request and the head of the reply.
    ModelTap open(ModelObserver observer) {
        ModelTap tap = observer.modelCall(head).orElseThrow();
        tap.request(ENVELOPE, request, false);
        tap.responseHead(status, Headers.NONE);
        return tap;
    }

    /// @param cuts where the reply is cut into chunks, ascending
    ModelRow row(ModelObserver observer, List<Integer> cuts) {
        ModelTap tap = open(observer);
        int from = 0;
        for (int cut : cuts) {
            tap.responseBytes(chunk(from, cut));
            from = cut;
        }
        tap.responseBytes(chunk(from, reply.length));
        return tap.row(FACTS);
    }

    private ByteBuffer chunk(int from, int to) {
        // By turns with and without an array that the tap may reach into.
        ByteBuffer chunk = ByteBuffer.wrap(reply, from, to - from);
        return from % 2 == 0 ? chunk.slice() : chunk.asReadOnlyBuffer();
    }

    String replyText() {
        return new String(reply, StandardCharsets.UTF_8);
    }
}
