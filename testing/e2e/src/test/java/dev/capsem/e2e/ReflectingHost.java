package dev.capsem.e2e;

import dev.capsem.testkit.http.Exchange;
import dev.capsem.testkit.http.HttpOrigin;
import dev.capsem.testkit.http.WebSocketEcho;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;

/// A host that sends back the credential it got, at `/back/` and the name of a [Way]. At `/back/ws` it sends back every
/// message of a WebSocket.
final class ReflectingHost implements HttpOrigin.Handler {
    private static final Map<String, String> PLAIN = Map.of("content-type", "text/plain");

    /// How it does that.
    enum Way {
        BODY,
        BYTE_BY_BYTE,
        GZIP,
        GZIP_IN_CHUNKS,
        DEFLATE,
        TRAILER,
        EARLY_HINT,
        LOCATION,
        COOKIE,
        REASON,
        HEADER_NAME,
        BASE64,
        BASE64_URL,
        BASIC,
        HEX,
        EVERY_CHARACTER_PERCENT,
        EVERY_CHARACTER_JSON,
        EVENT_STREAM,
        ERROR_PAGE,
        MULTIPART
    }

    private final String elsewhere;
    private final List<String> authorizations = new CopyOnWriteArrayList<>();
    private final WebSocketEcho echo = new WebSocketEcho();

    /// @param elsewhere where it redirects to; the credential is put behind it
    ReflectingHost(String elsewhere) {
        this.elsewhere = elsewhere;
    }

    /// The credentials that came.
    List<String> authorizations() {
        return authorizations;
    }

    /// The messages that came over WebSockets.
    List<String> messages() {
        return echo.messages();
    }

    @Override
    public void handle(Exchange exchange) throws IOException {
        if (exchange.path().equals("/back/ws")) {
            echo.handle(exchange);
            return;
        }
        String sent = exchange.header("authorization").orElse("none").replaceFirst("^Bearer ", "");
        authorizations.add(sent);
        String name = exchange.path().startsWith("/back/") ? exchange.path().substring("/back/".length()) : "BODY";
        reflect(exchange, Way.valueOf(name), sent);
    }

    private void reflect(Exchange exchange, Way way, String sent) throws IOException {
        byte[] text = bytes("you sent " + sent + " to me\n");
        switch (way) {
            case BODY -> exchange.reply(200, PLAIN, text);
            case BYTE_BY_BYTE -> slowly(exchange, PLAIN, text);
            case GZIP -> exchange.reply(200, Map.of("content-encoding", "gzip"), gzip(text));
            case GZIP_IN_CHUNKS -> slowly(exchange, Map.of("content-encoding", "gzip"), gzip(text));
            case DEFLATE -> exchange.reply(200, Map.of("content-encoding", "deflate"), deflate(text));
            case TRAILER ->
                exchange.raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-t\r\n\r\n1\r\nx\r\n0\r\nx-t: "
                        + sent + "\r\n\r\n");
            case EARLY_HINT -> {
                exchange.raw("HTTP/1.1 103 Early Hints\r\nlink: <" + sent + ">; rel=preload\r\n\r\n");
                exchange.reply(200, PLAIN, bytes("after\n"));
            }
            case LOCATION -> exchange.reply(302, Map.of("location", elsewhere + sent), new byte[0]);
            case COOKIE -> exchange.reply(200, Map.of("set-cookie", "k=" + sent), new byte[0]);
            case REASON -> exchange.raw("HTTP/1.1 200 " + sent + "\r\ncontent-length: 0\r\n\r\n");
            case HEADER_NAME -> exchange.reply(200, Map.of("x-" + sent, "1"), new byte[0]);
            case BASE64 -> exchange.reply(200, PLAIN, Base64.getEncoder().encode(text));
            case BASE64_URL -> exchange.reply(200, PLAIN, Base64.getUrlEncoder().encode(bytes(sent)));
            case BASIC -> exchange.reply(200, PLAIN, Base64.getEncoder().encode(bytes("u:" + sent)));
            case HEX -> exchange.reply(200, PLAIN, bytes(HexFormat.of().formatHex(text)));
            case EVERY_CHARACTER_PERCENT -> exchange.reply(200, PLAIN, bytes(everyCharacter("%", sent)));
            case EVERY_CHARACTER_JSON ->
                exchange.reply(200, "application/json", "{\"sent\": \"" + everyCharacter("\\u00", sent) + "\"}\n");
            case EVENT_STREAM -> {
                int half = Math.min(9, sent.length());
                try (OutputStream out = exchange.chunked(200, Map.of("content-type", "text/event-stream"))) {
                    out.write(bytes("data: " + sent.substring(0, half)));
                    out.flush();
                    out.write(bytes(sent.substring(half) + "\n\n"));
                }
            }
            case ERROR_PAGE -> exchange.reply(401, PLAIN, text);
            case MULTIPART ->
                exchange.reply(
                        206,
                        Map.of("content-type", "multipart/byteranges; boundary=B"),
                        bytes("--B\r\n\r\n" + sent + "\r\n--B--\r\n"));
        }
    }

    /// The text with an escape in place of each character.
    static String everyCharacter(String escape, String text) {
        StringBuilder all = new StringBuilder();
        for (byte one : bytes(text)) {
            all.append(escape).append(HexFormat.of().toHexDigits(one));
        }
        return all.toString();
    }

    private static void slowly(Exchange exchange, Map<String, String> headers, byte[] content) throws IOException {
        try (OutputStream out = exchange.chunked(200, headers)) {
            for (byte one : content) {
                out.write(one);
                out.flush();
            }
        }
    }

    private static byte[] gzip(byte[] text) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(text);
        }
        return out.toByteArray();
    }

    private static byte[] deflate(byte[] text) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflater = new DeflaterOutputStream(out)) {
            deflater.write(text);
        }
        return out.toByteArray();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
