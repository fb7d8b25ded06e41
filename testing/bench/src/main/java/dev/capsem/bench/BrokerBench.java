package dev.capsem.bench;

import dev.capsem.broker.Brokered;
import dev.capsem.broker.BrokeredResponse;
import dev.capsem.broker.GrantMode;
import dev.capsem.broker.Grants;
import dev.capsem.broker.Held;
import dev.capsem.broker.Placeholder;
import dev.capsem.broker.Scrub;
import dev.capsem.broker.SecretGrant;
import dev.capsem.broker.SecretPlace;
import dev.capsem.broker.SecretValue;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/// What the broker costs in CPU time of its thread: how fast answers are looked through that hold no value, and what a
/// request with one value in a header costs more than one without grants.
record BrokerBench() implements BenchMain.Part {
    private static final String HOST = "api.example.com";
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    private static final int PIECE_BYTES = 64 * 1024;
    private static final int PIECES = 8_000;
    private static final int REQUESTS = 200_000;
    private static final double GIGA = 1e9;

    @Override
    public void run(Consumer<Measurement> found) {
        Random random = new Random(7);
        for (int count : new int[] {1, 5}) {
            Grants grants = grants(count, random);
            scan(found, grants, "broker: scan of JSON, grants=" + count, json(random));
            scan(found, grants, "broker: scan of bytes, grants=" + count, bytes(random));
            scan(found, grants, "broker: scan of base64, grants=" + count, letters(PIECE_BYTES, random));
        }
        Grants one = grants(1, random);
        SecurityEvent.HttpRequest request = request(one.held().getFirst().placeholder());
        fill(one, request);
        double nanos = cpuNanos(() -> fill(one, request)) / REQUESTS;
        found.accept(new Measurement.Figure("broker: a header grant", nanos / 1_000, "µs", Optional.of("≤ 10")));
    }

    private static void scan(Consumer<Measurement> found, Grants grants, String name, byte[] piece) {
        BrokeredResponse response = grants.response(HOST).orElseThrow();
        pass(response, piece);
        double nanos = cpuNanos(() -> pass(response, piece));
        found.accept(new Measurement.Figure(
                name, (double) PIECE_BYTES * PIECES / GIGA / (nanos / GIGA), "GB/s", Optional.of("≥ 1")));
    }

    private static void pass(BrokeredResponse response, byte[] piece) {
        Scrub scrub = response.body(false);
        for (int i = 0; i < PIECES; i++) {
            scrub.pass(ByteBuffer.wrap(piece));
        }
        if (scrub.hits() > 0) {
            throw new IllegalStateException("the text holds a value by chance");
        }
    }

    private static void fill(Grants grants, SecurityEvent.HttpRequest request) {
        for (int i = 0; i < REQUESTS; i++) {
            Brokered decided = grants.request(request).orElseThrow().decide(request, Optional.empty());
            if (!(decided instanceof Brokered.Filled)) {
                throw new IllegalStateException("no value went with the request");
            }
        }
    }

    private static double cpuNanos(Runnable work) {
        var threads = ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadCpuTime();
        work.run();
        return threads.getCurrentThreadCpuTime() - before;
    }

    private static Grants grants(int count, Random random) {
        List<Held> held = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            SecretGrant grant = new SecretGrant(
                    "grant" + i,
                    List.of(HOST),
                    List.of(new SecretPlace.Header("authorization")),
                    Set.of(),
                    List.of(),
                    GrantMode.PLACEHOLDER,
                    Optional.empty(),
                    1,
                    false);
            held.add(new Held(
                    grant,
                    new Placeholder("sk-" + text(letters(48, random))),
                    Optional.of(SecretValue.of("sk-" + text(letters(48, random)))),
                    Optional.empty()));
        }
        return Grants.of(held);
    }

    private static SecurityEvent.HttpRequest request(Placeholder placeholder) {
        Headers headers = Headers.of(
                "host", HOST,
                "authorization", "Bearer " + placeholder.text(),
                "content-type", "application/json",
                "accept", "application/json",
                "accept-encoding", "gzip, deflate, br",
                "user-agent", "agent/1.0.0 (external, cli)",
                "x-request-id", "0d9f2c1e-1111-2222-3333-444455556666");
        return new SecurityEvent.HttpRequest(
                Envelope.inline(new EventId("e1"), Instant.EPOCH, Attribution.UNKNOWN, Correlation.NONE),
                "GET",
                "https",
                HOST,
                443,
                "/v1/messages",
                Optional.of("beta=true"),
                headers,
                Body.NONE);
    }

    private static byte[] json(Random random) {
        StringBuilder json = new StringBuilder();
        while (json.length() < PIECE_BYTES) {
            json.append("{\"id\": ")
                    .append(random.nextInt(1_000_000))
                    .append(", \"name\": \"a plain sentence about nothing\", \"tags\": [\"one\", \"two\"]},\n");
        }
        return json.substring(0, PIECE_BYTES).getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] bytes(Random random) {
        byte[] bytes = new byte[PIECE_BYTES];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] letters(int count, Random random) {
        byte[] letters = new byte[count];
        for (int i = 0; i < count; i++) {
            letters[i] = (byte) LETTERS.charAt(random.nextInt(LETTERS.length()));
        }
        return letters;
    }

    private static String text(byte[] ascii) {
        return new String(ascii, StandardCharsets.US_ASCII);
    }
}
