package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What no rule touches reaches the other side as it was: method, target, headers, body, coding.
@Timeout(180)
@Tag("sockets")
class EqualityTest {
    private static final List<String> METHODS = List.of("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD");
    private static final List<Integer> STATUSES = List.of(200, 201, 204, 206, 301, 304, 400, 404, 418, 429, 500, 503);

    private record Generated(int status, Map<String, String> headers, byte[] body, boolean isChunked) {}

    @Test
    void generatedExchangesPassUnchanged() throws Exception {
        long seed = 7;
        SplittableRandom random = new SplittableRandom(seed);
        AtomicReference<Generated> answer = new AtomicReference<>();
        try (Origin origin = Origin.tls(
                        Door.ORIGINS,
                        Door.HOST,
                        false,
                        request -> answer(request, Objects.requireNonNull(answer.get())));
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            for (int round = 0; round < 150; round++) {
                Generated expected = generate(random);
                answer.set(expected);
                String method = METHODS.get(random.nextInt(METHODS.size()));
                String target =
                        "/p" + random.nextInt(1_000) + "/%2F" + (random.nextBoolean() ? "?a=%20&b=" + round : "");
                byte[] body = method.equals("POST") || method.equals("PUT") || method.equals("PATCH")
                        ? bytes(random, 20_000)
                        : new byte[0];
                send(client, random, method, target, body);
                Http1Client.Response response = client.read(method.equals("HEAD"));

                String what = "seed %d, round %d: %s %s".formatted(seed, round, method, target);
                Origin.Seen seen = origin.log().get(round);
                assertThat(seen.method()).as(what).isEqualTo(method);
                assertThat(seen.uri()).as(what).isEqualTo(target);
                assertThat(seen.body()).as(what).isEqualTo(body);
                assertThat(seen.headers()).as(what).containsEntry("x-request", "r" + body.length);
                assertThat(response.status()).as(what).isEqualTo(expected.status());
                expected.headers()
                        .forEach((name, value) ->
                                assertThat(response.headers()).as(what).containsEntry(name, value));
                boolean isEmpty = method.equals("HEAD") || expected.status() == 204 || expected.status() == 304;
                assertThat(response.body()).as(what).isEqualTo(isEmpty ? new byte[0] : expected.body());
            }
            assertThat(door.rows(150)).hasSize(150);
        }
    }

    private static void send(Http1Client client, SplittableRandom random, String method, String target, byte[] body)
            throws Exception {
        String head =
                method + " " + target + " HTTP/1.1\r\nHost: " + Door.HOST + "\r\nX-Request: r" + body.length + "\r\n";
        if (body.length == 0) {
            client.send(head + "\r\n");
        } else if (random.nextBoolean()) {
            client.send(head + "Content-Length: " + body.length + "\r\n\r\n");
            client.send(body);
        } else {
            client.send(head + "Transfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(body.length) + "\r\n");
            client.send(body);
            client.send("\r\n0\r\n\r\n");
        }
    }

    private static Generated generate(SplittableRandom random) throws Exception {
        Map<String, String> headers = new TreeMap<>();
        for (int i = 0; i < random.nextInt(6); i++) {
            headers.put("x-h" + i, "v" + random.nextInt());
        }
        headers.put("content-type", random.nextBoolean() ? "application/json" : "image/png");
        byte[] body = bytes(random, 50_000);
        if (random.nextInt(3) == 0) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
                gzip.write(body);
            }
            body = out.toByteArray();
            headers.put("content-encoding", "gzip");
        } else if (random.nextInt(5) == 0) {
            // Claims a coding that it does not have: not ours to mend.
            headers.put("content-encoding", "br");
        }
        return new Generated(STATUSES.get(random.nextInt(STATUSES.size())), headers, body, random.nextBoolean());
    }

    private static FullHttpResponse answer(FullHttpRequest request, Generated generated) {
        boolean isEmpty =
                request.method().name().equals("HEAD") || generated.status() == 204 || generated.status() == 304;
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                HttpResponseStatus.valueOf(generated.status()),
                Unpooled.wrappedBuffer(isEmpty ? new byte[0] : generated.body()));
        generated.headers().forEach((name, value) -> response.headers().set(name, value));
        if (generated.status() != 204 && generated.status() != 304) {
            if (generated.isChunked() && !isEmpty) {
                response.headers().set("transfer-encoding", "chunked");
            } else {
                response.headers().set("content-length", isEmpty ? 0 : generated.body().length);
            }
        }
        return response;
    }

    private static byte[] bytes(SplittableRandom random, int max) {
        byte[] bytes = new byte[random.nextInt(max)];
        random.nextBytes(bytes);
        return random.nextBoolean() ? bytes : "text ".repeat(bytes.length / 50).getBytes(StandardCharsets.US_ASCII);
    }
}
