package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import com.aayushatharva.brotli4j.Brotli4jLoader;
import com.aayushatharva.brotli4j.encoder.BrotliOutputStream;
import com.github.luben.zstd.Zstd;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.SecurityEvent;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Coded bodies reach the other side as they are; rules and previews see what they say.
@Timeout(180)
@Tag("sockets")
class CodingsTest {
    private static final String TEXT = "the word is marmalade, " + "and so on ".repeat(200);

    enum Coding {
        GZIP("gzip"),
        DEFLATE("deflate"),
        BROTLI("br"),
        ZSTD("zstd");

        private final String token;

        Coding(String token) {
            this.token = token;
        }

        String token() {
            return token;
        }

        byte[] code(byte[] plain) throws IOException {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            switch (this) {
                case GZIP -> write(new GZIPOutputStream(out), plain);
                case DEFLATE -> write(new DeflaterOutputStream(out), plain);
                case BROTLI -> {
                    Brotli4jLoader.ensureAvailability();
                    write(new BrotliOutputStream(out), plain);
                }
                case ZSTD -> out.writeBytes(Zstd.compress(plain));
            }
            return out.toByteArray();
        }

        private static void write(OutputStream coder, byte[] plain) throws IOException {
            try (coder) {
                coder.write(plain);
            }
        }
    }

    private static FullHttpResponse answer(Coding coding, byte[] coded) {
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(coded));
        response.headers()
                .set("content-type", "text/plain")
                .set("content-encoding", coding.token)
                .set("content-length", coded.length);
        return response;
    }

    private static byte[] request(Coding coding, byte[] coded) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(("POST /p HTTP/1.1\r\nHost: " + Door.HOST + "\r\nContent-Type: text/plain\r\nContent-Encoding: "
                        + coding.token + "\r\nContent-Length: " + coded.length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(coded);
        return out.toByteArray();
    }

    @ParameterizedTest
    @EnumSource
    void passByteForByteWithAReadablePreview(Coding coding) throws Exception {
        byte[] coded = coding.code(TEXT.getBytes(StandardCharsets.UTF_8));
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, _ -> answer(coding, coded));
                Door door = new Door.Setup().open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            client.send(request(coding, coded));
            Http1Client.Response response = client.read(false);

            assertThat(response.body()).isEqualTo(coded);
            assertThat(response.headers()).containsEntry("content-encoding", coding.token);
            assertThat(origin.log().getFirst().body()).isEqualTo(coded);
            assertThat(door.rows(1).getFirst().previews().requestBody().orElse(""))
                    .contains("marmalade");
            assertThat(door.rows(1).getFirst().previews().responseBody().orElse(""))
                    .contains("marmalade");
            assertThat(door.rows(1).getFirst().bytesReceived()).isEqualTo(coded.length);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rulesReadWhatTheySayAndTheBytesStayAsTheyAre(Coding coding) throws Exception {
        byte[] good = coding.code("nothing to see".getBytes(StandardCharsets.UTF_8));
        byte[] bad = coding.code(TEXT.getBytes(StandardCharsets.UTF_8));
        Door.Setup setup = new Door.Setup();
        setup.needsBody = _ -> true;
        setup.rules = event -> says(event, "marmalade") ? HttpsExchangeTest.block("no", "that word") : Door.allow();
        try (Origin origin = Origin.tls(
                        Door.ORIGINS,
                        Door.HOST,
                        false,
                        request -> answer(coding, request.uri().equals("/bad") ? bad : good));
                Door door = setup.open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            client.send(request(coding, bad));
            assertThat(client.read(false).status()).isEqualTo(403);
            assertThat(origin.log()).isEmpty();

            client.send(request(coding, good));
            assertThat(client.read(false).body()).isEqualTo(good);
            assertThat(origin.log().getFirst().body()).isEqualTo(good);

            Http1Client.Response response = client.exchange("GET /bad HTTP/1.1\r\nHost: " + Door.HOST + "\r\n\r\n");
            assertThat(response.status()).isEqualTo(403);
        }
    }

    private static boolean says(SecurityEvent event, String word) {
        Body body = switch (event) {
            case SecurityEvent.HttpRequest request -> request.body();
            case SecurityEvent.HttpResponse response -> response.body();
            default -> Body.NONE;
        };
        return body instanceof Body.Text text && text.text().contains(word);
    }

    @ParameterizedTest
    @EnumSource
    void whatGrowsBeyondTheRatioCountsAsTooLarge(Coding coding) throws Exception {
        byte[] bomb = coding.code(new byte[5 * 1024 * 1024]);
        assertThat(bomb.length * 100).isLessThan(5 * 1024 * 1024);
        Door.Setup setup = new Door.Setup();
        setup.needsBody = event -> event instanceof SecurityEvent.HttpRequest;
        setup.rules =
                event -> event instanceof SecurityEvent.HttpRequest request && request.body() instanceof Body.TooLarge
                        ? HttpsExchangeTest.block("no", "too large to read")
                        : Door.allow();
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            client.send(request(coding, bomb));

            assertThat(client.read(false).status()).isEqualTo(403);
            assertThat(origin.log()).isEmpty();
            assertThat(door.rows(1).getFirst().decision()).isEqualTo(Outcome.DENIED);
        }
    }
}
