package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.SecurityEvent;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Servers that say back the secret they were given: it never arrives inside, and never stands in the record.
@SuppressWarnings("FutureReturnValueIgnored")
@Timeout(180)
@Tag("sockets")
class BrokeredResponsesTest {
    private static final String VALUE = Brokerage.VALUE;
    private static final String STAND_IN = Brokerage.STAND_IN;

    /// Answers the first bytes that come, piece by piece.
    @Sharable
    private static final class Saying extends ChannelInboundHandlerAdapter {
        private final List<byte[]> pieces;

        Saying(byte[]... pieces) {
            this.pieces = List.of(pieces);
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ((ByteBuf) message).release();
            say(ctx, 0);
        }

        private void say(ChannelHandlerContext ctx, int next) {
            if (next < pieces.size()) {
                ctx.writeAndFlush(Unpooled.wrappedBuffer(pieces.get(next)))
                        .addListener(_ -> ctx.executor().schedule(() -> say(ctx, next + 1), 20, TimeUnit.MILLISECONDS));
            }
        }
    }

    enum Spelled {
        RAW(text -> text),
        JSON(text -> "{\"key\":\"" + text + "\"}"),
        PERCENT(text -> URLEncoder.encode("a b" + text, StandardCharsets.UTF_8)),
        BASE64(text -> base64(text)),
        BASE64_SHIFTED(text -> base64("x" + text)),
        BASE64_SHIFTED_MORE(text -> base64("xy" + text + "z")),
        BASE64_URL(text -> Base64.getUrlEncoder().encodeToString(("user:" + text).getBytes(StandardCharsets.UTF_8))),
        HEX(text -> HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8))),
        HEX_UPPER(text -> HexFormat.of().withUpperCase().formatHex(text.getBytes(StandardCharsets.UTF_8)));

        @SuppressWarnings("ImmutableEnumChecker") // none of them has any state
        private final UnaryOperator<String> spell;

        Spelled(UnaryOperator<String> spell) {
            this.spell = spell;
        }
    }

    private static void assertClean(String seen) {
        assertThat(seen).doesNotContain(VALUE).doesNotContain(VALUE.substring(6));
        for (Spelled spelled : Spelled.values()) {
            String text = spelled.spell.apply(VALUE);
            assertThat(seen).doesNotContain(text.substring(8, text.length() - 6));
        }
    }

    @ParameterizedTest
    @EnumSource(Spelled.class)
    void whateverTheSpellingHeadersAndBodyAreClean(Spelled spelled) throws Exception {
        String said = spelled.spell.apply(VALUE);
        for (boolean isHttp2 : new boolean[] {false, true}) {
            try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, isHttp2, request -> {
                        FullHttpResponse answer = Brokerage.answer("you said " + said + ", did you?");
                        answer.headers().set("location", "https://other.test/?t=" + said);
                        answer.headers().add("set-cookie", "a=" + said + "; Path=/");
                        answer.headers().set("x-echo", request.headers().get("x-api-key"));
                        return answer;
                    });
                    Door door = Brokerage.setup(Brokerage.grants("header:x-api-key"))
                            .open();
                    HttpClient client = ProxyFormsTest.proxied(door, HttpClient.Version.HTTP_2)) {
                HttpResponse<String> response = client.send(
                        HttpRequest.newBuilder(URI.create("https://" + Door.HOST + ":" + origin.port() + "/"))
                                .header("x-api-key", STAND_IN)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());

                assertThat(origin.log().get(0).headers()).containsEntry("x-api-key", VALUE);
                assertClean(response.headers().map().toString());
                assertClean(response.body());
                assertThat(response.body()).startsWith("you said ").endsWith(", did you?");
                assertThat(response.headers().firstValue("x-echo")).contains(STAND_IN);
                door.rows(1);
                assertClean(BrokeredRequestsTest.everythingRecorded(door));
            }
        }
    }

    @Test
    void anEchoComesBackWithThePlaceholder() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, Brokerage::echo);
                Door door =
                        Brokerage.setup(Brokerage.grants("header:x-api-key")).open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            Http1Client.Response response = client.exchange(Brokerage.get("/", "X-Api-Key: " + STAND_IN));

            assertThat(response.text()).contains("x-api-key: " + STAND_IN).doesNotContain(VALUE);
            assertThat(door.rows(1).get(0).previews().responseBody().orElseThrow())
                    .doesNotContain(VALUE);
        }
    }

    static List<CodingsTest.Coding> codings() {
        return List.of(CodingsTest.Coding.values());
    }

    @ParameterizedTest
    @MethodSource("codings")
    void aCodedAnswerIsDecodedOnlyIfItHoldsTheSecret(CodingsTest.Coding coding) throws Exception {
        byte[] clean = coding.code("nothing to hide".getBytes(StandardCharsets.UTF_8));
        byte[] dirty = coding.code(("you said " + VALUE).getBytes(StandardCharsets.UTF_8));
        try (Origin origin = Origin.tls(
                        Door.ORIGINS,
                        Door.HOST,
                        false,
                        request -> coded(coding.token(), request.uri().equals("/clean") ? clean : dirty));
                Door door =
                        Brokerage.setup(Brokerage.grants("header:x-api-key")).open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            Http1Client.Response untouched = client.exchange(Brokerage.get("/clean"));
            Http1Client.Response changed = client.exchange(Brokerage.get("/dirty"));

            assertThat(untouched.body()).isEqualTo(clean);
            assertThat(untouched.headers())
                    .containsEntry("content-encoding", coding.token())
                    .containsEntry("content-length", "" + clean.length);
            assertThat(changed.text()).isEqualTo("you said " + STAND_IN);
            assertThat(changed.headers()).doesNotContainKeys("content-encoding", "content-length", "etag");
            assertThat(door.rows(2)).extracting(row -> row.decision()).containsOnly(Outcome.ALLOWED);
            assertClean(BrokeredRequestsTest.everythingRecorded(door));
        }
    }

    @Test
    void aCodedStreamThatSaysTheSecretLateIsCut() throws Exception {
        Random random = new Random(7);
        byte[] noise = new byte[200_000];
        random.nextBytes(noise);
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        int cut;
        try (GZIPOutputStream gzip = new GZIPOutputStream(coded, 512, true)) {
            gzip.write(noise);
            gzip.flush();
            cut = coded.size();
            gzip.write(VALUE.getBytes(StandardCharsets.UTF_8));
        }
        byte[] all = coded.toByteArray();
        byte[] head = bytes("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + all.length + "\r\n\r\n");
        try (Origin origin = Origin.raw(
                        new Saying(head, Arrays.copyOf(all, cut), Arrays.copyOfRange(all, cut, all.length)));
                Door door =
                        Brokerage.setup(Brokerage.grants("header:x-api-key")).open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            assertThatThrownBy(() -> client.exchange(Brokerage.get("/"))).isInstanceOf(IOException.class);

            assertThat(door.rows(1).get(0).decision()).isEqualTo(Outcome.ERROR);
            assertThat(door.rows(1).get(0).policy().reason().orElseThrow()).contains("secret_in_response");
        }
    }

    @Test
    void aCodingThatNobodyCanReadIsRefused() throws Exception {
        try (Origin origin =
                        Origin.tls(Door.ORIGINS, Door.HOST, false, _ -> coded("compress", bytes("you said " + VALUE)));
                Door door =
                        Brokerage.setup(Brokerage.grants("header:x-api-key")).open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            Http1Client.Response response = client.exchange(Brokerage.get("/"));

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.text()).contains("secret_in_response").doesNotContain(VALUE);
        }
    }

    @Test
    void noBorderOfPiecesLetsTheSecretThrough() throws Exception {
        String body = "before " + VALUE + " after";
        for (int cut = 5; cut < body.length(); cut += 6) {
            for (boolean isChunked : new boolean[] {false, true}) {
                String first = body.substring(0, cut);
                String second = body.substring(cut);
                Saying saying = isChunked
                        ? new Saying(
                                bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(first)),
                                bytes(chunk(second)),
                                bytes("0\r\nX-Sum: " + VALUE + "\r\n\r\n"))
                        : new Saying(
                                bytes("HTTP/1.1 200 Hello " + VALUE + "\r\nContent-Length: " + body.length()
                                        + "\r\n\r\n" + first),
                                bytes(second));
                try (Origin origin = Origin.raw(saying);
                        Door door = Brokerage.setup(Brokerage.grants("header:x-api-key"))
                                .open();
                        Http1Client client = new Http1Client(door.connect(origin.port()))) {
                    Http1Client.Response response = client.exchange(Brokerage.get("/"));

                    assertThat(response.text()).isEqualTo("before " + STAND_IN + " after");
                    assertThat(response.headers().toString()).doesNotContain(VALUE);
                    if (isChunked) {
                        assertThat(response.headers()).containsEntry("trailer X-Sum", STAND_IN);
                    }
                }
            }
        }
    }

    @Test
    void eventsPassAsTheyComeAndWithoutTheSecret() throws Exception {
        Saying saying = new Saying(
                bytes("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"),
                bytes(chunk("data: one\n\n")),
                bytes(chunk("data: " + VALUE + "\n\n")),
                bytes(chunk("data: three\n\n")));
        try (Origin origin = Origin.raw(saying);
                Door door =
                        Brokerage.setup(Brokerage.grants("header:x-api-key")).open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            client.send(Brokerage.get("/"));

            String seen = until(client, "three\n\n");

            assertThat(seen)
                    .contains("data: one\n\n", "data: " + STAND_IN + "\n\n")
                    .doesNotContain(VALUE);
        }
    }

    @Test
    void hintsThatComeEarlyAreNotForTheGuest() throws Exception {
        Saying saying = new Saying(
                bytes("HTTP/1.1 103 Early Hints\r\nLink: </" + VALUE + ">\r\n\r\n"),
                bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
        try (Origin origin = Origin.raw(saying);
                Door door =
                        Brokerage.setup(Brokerage.grants("header:x-api-key")).open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            Http1Client.Response response = client.exchange(Brokerage.get("/"));

            assertThat(response.status()).isEqualTo(200);
            assertThat(response.text()).isEqualTo("ok");
        }
    }

    @Test
    void rulesThatReadAnswersSeeThePlaceholder() throws Exception {
        Door.Setup setup = Brokerage.setup(Brokerage.grants("header:x-api-key"));
        setup.needsBody = event -> event instanceof SecurityEvent.HttpResponse;
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(coded)) {
            gzip.write(bytes("you said " + VALUE));
        }
        try (Origin origin = Origin.tls(
                        Door.ORIGINS,
                        Door.HOST,
                        false,
                        request -> request.uri().equals("/coded")
                                ? coded("gzip", coded.toByteArray())
                                : Brokerage.answer("you said " + VALUE));
                Door door = setup.open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            for (String path : List.of("/plain", "/coded")) {
                assertThat(client.exchange(Brokerage.get(path)).text()).isEqualTo("you said " + STAND_IN);
            }

            List<String> read = door.asked.stream()
                    .filter(SecurityEvent.HttpResponse.class::isInstance)
                    .map(event -> ((SecurityEvent.HttpResponse) event).body())
                    .map(body -> body instanceof Body.Text text ? text.text() : "")
                    .toList();
            assertThat(read).containsExactly("you said " + STAND_IN, "you said " + STAND_IN);
        }
    }

    @Test
    void cleanAnswersAreByteForByteTheSame() throws Exception {
        byte[] noise = new byte[500_000];
        new Random(3).nextBytes(noise);
        ByteArrayOutputStream coded = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(coded)) {
            gzip.write(noise);
        }
        for (boolean isHttp2 : new boolean[] {false, true}) {
            try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, isHttp2, _ -> coded("gzip", coded.toByteArray()));
                    Door door = Brokerage.setup(Brokerage.grants("header:x-api-key"))
                            .open();
                    HttpClient client = ProxyFormsTest.proxied(door, HttpClient.Version.HTTP_2)) {
                HttpResponse<byte[]> response = client.send(
                        HttpRequest.newBuilder(URI.create("https://" + Door.HOST + ":" + origin.port() + "/"))
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray());

                assertThat(response.body()).isEqualTo(coded.toByteArray());
                assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
                assertThat(new GZIPInputStream(new ByteArrayInputStream(response.body())).readAllBytes())
                        .isEqualTo(noise);
            }
        }
    }

    @Test
    void aHostWithoutAGrantIsNotLookedAt() throws Exception {
        String other = "other.example.test";
        try (Origin origin = Origin.tls(Door.ORIGINS, other, false, BrokeredResponsesTest::saysValue);
                Door door =
                        Brokerage.setup(Brokerage.grants("header:x-api-key")).open();
                Http1Client client = new Http1Client(door.tls(origin.port(), other))) {
            assertThat(client.exchange("GET / HTTP/1.1\r\nHost: " + other + "\r\n\r\n")
                            .text())
                    .contains(VALUE);
        }
    }

    private static FullHttpResponse saysValue(FullHttpRequest request) {
        return Brokerage.answer("somebody else's " + VALUE);
    }

    private static FullHttpResponse coded(String coding, byte[] body) {
        FullHttpResponse response = Brokerage.answer("").replace(Unpooled.wrappedBuffer(body));
        response.setStatus(HttpResponseStatus.NOT_FOUND);
        response.headers()
                .set("content-encoding", coding)
                .set("content-length", body.length)
                .set("etag", "\"1\"");
        return response;
    }

    private static String until(Http1Client client, String end) throws IOException {
        StringBuilder text = new StringBuilder();
        while (text.indexOf(end) < 0) {
            int b = client.stream().read();
            if (b < 0) {
                throw new EOFException("ended after " + text);
            }
            text.append((char) b);
        }
        return text.toString().replaceAll("\r\n[0-9a-f]+\r\n", "");
    }

    private static String chunk(String text) {
        return Integer.toHexString(text.length()) + "\r\n" + text + "\r\n";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
