package dev.capsem.backends.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What servers send, however they send it.
class HttpReadingTest {
    @Test
    void aHeadIsReadAsItStands() throws IOException {
        HttpHead head = HttpHead.read(bytes("HTTP/1.1 200 OK\r\nA: b\r\na:  c \r\nConnection: close\r\n\r\nrest"));

        assertThat(head.status()).isEqualTo(200);
        assertThat(head.reason()).isEqualTo("OK");
        assertThat(head.fields().first("A")).hasValue("b");
        assertThat(head.fields().fields()).hasSize(3);
        assertThat(head.isPersistent()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "SSH-2.0-x\r\n\r\n",
                "HTTP/2 200\r\n\r\n",
                "HTTP/1.1 20x OK\r\n\r\n",
                "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
                "HTTP/1.1 200 OK\r\nbad name: x\r\n\r\n",
                "HTTP/1.1 200 OK\r\n : x\r\n\r\n",
                "HTTP/1.1 200 OK\r\nA: b"
            })
    void aBrokenHeadIsRefused(String text) {
        assertThatThrownBy(() -> HttpHead.read(bytes(text))).isInstanceOf(IOException.class);
    }

    @Test
    void aHeadWithoutEndIsCutOff() {
        assertThatThrownBy(() -> HttpHead.read(bytes("HTTP/1.1 200 OK\r\nA: " + "x".repeat(70_000))))
                .hasMessageContaining("too large");
        assertThatThrownBy(() -> HttpHead.read(bytes("HTTP/1.1 200 OK\r\n" + "A: b\r\n".repeat(201) + "\r\n")))
                .isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "'Content-Length: 5\r\n', 'hello next', hello, true",
        "'Transfer-Encoding: chunked\r\n', '2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nT: t\r\n\r\nnext', hello, true",
        "'', 'until the end', 'until the end', false",
        "'Content-Length: 0\r\n', 'next', '', true",
    })
    void bodiesEndWhereTheirFramingSays(String header, String wire, String body, boolean isReusable)
            throws IOException {
        InputStream in = bytes("HTTP/1.1 200 OK\r\n" + header + "\r\n" + wire);
        BodyStream stream = BodyStream.of(in, "GET", HttpHead.read(in));

        assertThat(new String(stream.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(body);
        assertThat(stream.isComplete()).isEqualTo(isReusable);
    }

    @ParameterizedTest
    @CsvSource({
        "'Content-Length: 9\r\n', 'short'",
        "'Content-Length: -1\r\n', ''",
        "'Content-Length: 1, 2\r\n', ''",
        "'Transfer-Encoding: gzip\r\n', ''",
        "'Transfer-Encoding: chunked\r\n', 'zz\r\n'",
        "'Transfer-Encoding: chunked\r\n', '2\r\nhello'",
        "'Transfer-Encoding: chunked\r\n', '2\r\nhe'",
        "'Transfer-Encoding: chunked\r\n', 'ffffffffffffffffff\r\n'",
    })
    void brokenBodiesAreRefused(String header, String wire) {
        assertThatThrownBy(() -> {
                    InputStream in = bytes("HTTP/1.1 200 OK\r\n" + header + "\r\n" + wire);
                    BodyStream.of(in, "GET", HttpHead.read(in)).readAllBytes();
                })
                .isInstanceOf(IOException.class);
    }

    @Test
    void answersToHeadHaveNoBody() throws IOException {
        InputStream in = bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");

        assertThat(BodyStream.of(in, "HEAD", HttpHead.read(in)).readAllBytes()).isEmpty();
    }

    @Test
    void eventsAreReadAlikeHoweverTheyAreSplitAndWhateverEndsTheirLines() throws IOException {
        String text = "\uFEFF: comment\nid: 1\nretry: 250\n\nevent: endpoint\ndata: /x\n\ndata:a\ndata: b\nid: 2\n\n"
                + "data: cut off";
        long seed = 5L;
        Random random = new Random(seed);
        for (String end : List.of("\n", "\r\n", "\r")) {
            for (int round = 0; round < 50; round++) {
                SseReader reader = new SseReader(dripping(text.replace("\n", end), random), 1_000);
                List<SseReader.Event> events = new ArrayList<>();
                for (Optional<SseReader.Event> event = reader.next(); event.isPresent(); event = reader.next()) {
                    events.add(event.get());
                }

                assertThat(events)
                        .as("seed %d", seed)
                        .containsExactly(new SseReader.Event("endpoint", "/x"), new SseReader.Event("message", "a\nb"));
                assertThat(reader.lastId()).hasValue("2");
                assertThat(reader.retry()).hasValue(Duration.ofMillis(250));
            }
        }
    }

    @Test
    void eventsThatAreTooLargeAreRefused() {
        assertThatThrownBy(() -> new SseReader(bytes("data: " + "x".repeat(2_000)), 1_000).next())
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> new SseReader(bytes(("data: " + "x".repeat(300) + "\n").repeat(5)), 1_000).next())
                .isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "http://Example.com, http://example.com/",
        "https://h:8443/a/b?c=d#e, https://h:8443/a/b?c=d",
        "http://[::1]:80/x, http://[::1]/x",
    })
    void addressesAreNormalized(String text, String shown) {
        assertThat(HttpUrl.parse(text).map(HttpUrl::toString)).hasValue(shown);
    }

    @Test
    void referencesAreResolvedAgainstTheirPage() {
        HttpUrl page = HttpUrl.parse("https://h/a/b?x").orElseThrow();

        assertThat(page.resolve("c").map(HttpUrl::toString)).hasValue("https://h/a/c");
        assertThat(page.resolve("/c?d").map(HttpUrl::toString)).hasValue("https://h/c?d");
        assertThat(page.resolve("http://evil/").filter(page::isSameOrigin)).isEmpty();
        assertThat(page.resolve("javascript:alert(1)")).isEmpty();
    }

    @Test
    void headersThatWouldSplitARequestAreRefused() {
        assertThatThrownBy(() -> HttpFields.NONE.with("A", "b\r\nEvil: x"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> HttpFields.NONE.with("A b", "c")).isInstanceOf(IllegalArgumentException.class);
        assertThat(HttpFields.NONE.with("Authorization", "Bearer t0ken").toString())
                .doesNotContain("t0ken");
    }

    private static InputStream bytes(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    /// A few bytes at a time, as a network gives them.
    private static InputStream dripping(String text, Random random) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(length, 1 + random.nextInt(5)));
            }
        };
    }
}
