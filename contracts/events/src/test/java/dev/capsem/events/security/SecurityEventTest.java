package dev.capsem.events.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.SecurityEvent.DnsRequest;
import dev.capsem.events.security.SecurityEvent.FileActivity;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecurityEventTest {
    private static final Envelope ENVELOPE =
            Envelope.inline(new EventId("e"), Instant.EPOCH, Attribution.UNKNOWN, Correlation.NONE);

    @ParameterizedTest
    @CsvSource({
        "/a, /a",
        "/%61/%2F/%7e, /a/%2F/~",
        "/a/./b, /a/b",
        "/a/../b, /b",
        "/../../b, /b",
        "/a/b/.., /a/",
        "/a/%2e%2e/b, /b",
        "/%zz, /%zz",
        "/%, /%",
        "/a%c3%a9, /a%C3%A9",
        "/.hidden, /.hidden",
        "//a, //a",
        "*, *"
    })
    void normalizesPathsThatAreTheSame(String sent, String seen) {
        assertThat(http("a.b", sent).normalizedPath()).isEqualTo(seen);
    }

    @Test
    void knowsOneSpellingOfAHost() {
        assertThat(http("EXAMPLE.com.", "/").host()).isEqualTo("example.com");
        assertThat(http("EXAMPLE.com.", "/").url()).isEqualTo("https://example.com/");
        assertThat(http("::1", "/").url()).isEqualTo("https://[::1]/");
    }

    @Test
    void refusesWhatWouldNotBeOneRequest() {
        assertThatThrownBy(() -> http("a b", "/")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> http("", "/")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> http("a\r\nb", "/")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> http("a", "x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> http("a", "/ x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> http("a", "/?x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Headers.of("a b", "c")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Headers.of("a", "b\r\nc: d")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new McpRequest(
                        ENVELOPE,
                        "m",
                        "s",
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        "valid_json",
                        Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void joinsHeaderLinesOfOneName() {
        Headers headers = Headers.of("X-A", "1", "b", "2", "x-a", "3");

        assertThat(headers.value("x-A")).contains("1, 3");
        assertThat(headers.without("X-a")).isEqualTo(Headers.of("b", "2"));
        assertThat(headers.with("x-a", "9")).isEqualTo(Headers.of("x-a", "9", "b", "2"));
    }

    @Test
    void printsNoValuesThatMayBeSecret() {
        HttpRequest request = new HttpRequest(
                ENVELOPE,
                "POST",
                "https",
                "a",
                443,
                "/",
                Optional.empty(),
                Headers.of("authorization", "s3cret"),
                Body.of("s3cret"));
        JsonDocument arguments = JsonDocument.parse("{\"key\": \"s3cret\"}").orElseThrow();

        assertThat(request.toString()).doesNotContain("s3cret");
        assertThat(arguments.toString()).doesNotContain("s3cret");
    }

    @Test
    void showsRulesTheTextAroundBytesThatAreNone() {
        Body body = Body.of(new byte[] {'s', 'e', 'c', (byte) 0xff, 'x'}, Optional.empty());

        assertThat(body).isEqualTo(new Body.Text("sec\ufffdx", true, 5, Optional.empty()));
        assertThat(Body.of(new byte[Body.INSPECTED_BYTES_MAX + 1], Optional.empty()))
                .isInstanceOf(Body.TooLarge.class);
    }

    @Test
    void readsJsonOneWayOnly() {
        assertThat(JsonDocument.parse("{\"a\": 1, \"a\": 2}")).isEmpty();
        assertThat(JsonDocument.parse("{} {}")).isEmpty();
        assertThat(JsonDocument.parse("[".repeat(300) + "]".repeat(300))).isEmpty();
        assertThat(JsonDocument.parse("")).isEmpty();
        assertThat(JsonDocument.parse("{\"a\": \"\\u0062\\n\\\"\", \"n\": [1, 2.5, null, true]}")
                        .orElseThrow()
                        .text())
                .isEqualTo("{\"a\":\"b\\n\\\"\",\"n\":[1,2.5,null,true]}");
    }

    @Test
    void classifiesNamesCommandsAndPaths() {
        assertThat(new DnsRequest(ENVELOPE, "a.example.", "A", "udp").domainClass())
                .isEqualTo("external");
        assertThat(new DnsRequest(ENVELOPE, "printer", "A", "udp").domainClass())
                .isEqualTo("local");
        assertThat(new DnsRequest(ENVELOPE, "1.2.3.4", "A", "udp").domainClass())
                .isEqualTo("address");
        assertThat(new DnsRequest(ENVELOPE, "a..b", "A", "udp").domainClass()).isEqualTo("invalid");
        assertThat(new ProcessExec(ENVELOPE, "/usr/bin/curl x", List.of(), Optional.empty()).commandClass())
                .isEqualTo("network");
        assertThat(new ProcessExec(ENVELOPE, "make", List.of("make"), Optional.empty()).commandClass())
                .isEqualTo("other");
        assertThat(new FileActivity(ENVELOPE, "create", "/root/x", OptionalLong.empty()).pathClass())
                .isEqualTo("workspace");
        assertThat(new FileActivity(ENVELOPE, "create", "/etcetera", OptionalLong.empty()).pathClass())
                .isEqualTo("absolute");
    }

    private static HttpRequest http(String host, String path) {
        return new HttpRequest(ENVELOPE, "GET", "https", host, 443, path, Optional.empty(), Headers.NONE, Body.NONE);
    }
}
