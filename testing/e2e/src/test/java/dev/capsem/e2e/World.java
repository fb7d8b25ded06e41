package dev.capsem.e2e;

import dev.capsem.testkit.git.GitRepository;
import dev.capsem.testkit.grpc.GrpcOrigin;
import dev.capsem.testkit.http.BulkBytes;
import dev.capsem.testkit.http.Exchange;
import dev.capsem.testkit.http.HttpOrigin;
import dev.capsem.testkit.http.WebSocketEcho;
import dev.capsem.testkit.llm.ModelApi;
import dev.capsem.testkit.nginx.NginxOrigin;
import dev.capsem.testkit.registry.PackageRegistry;
import dev.capsem.testkit.upstreams.Upstreams;
import dev.capsem.testkit.upstreams.Upstreams.Place;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// The outside world of the network tests, and the profile that opens it to a sandbox. Every name ends in
/// `.example.test`; all of them live on loopback, which only rules that speak of addresses can open.
final class World implements AutoCloseable {
    static final String PROFILE = "net-test";
    static final String TEXT = "plain text from the origin\n";
    static final int SSE_EVENTS = 5;

    private static final Map<String, String> TEXT_HEADERS =
            Map.of("content-type", "text/plain; charset=utf-8", "x-origin", "web", "set-cookie", "id=cookie-secret-1");

    private final Upstreams upstreams = new Upstreams();
    private final WebSocketEcho echo = new WebSocketEcho();
    private final Map<String, Integer> ports = new LinkedHashMap<>();
    private String networkSettings = "";
    private final HttpOrigin web = upstreams.https("web.example.test", this::web);
    private final HttpOrigin plain = upstreams.http("plain.example.test", this::web);
    private final HttpOrigin anthropic = upstreams.https("anthropic.example.test", new ModelApi());
    private final HttpOrigin openai = upstreams.https("openai.example.test", new ModelApi());
    private final HttpOrigin gemini = upstreams.https("gemini.example.test", new ModelApi());
    private final GrpcOrigin grpc = upstreams.grpc("grpc.example.test");
    private final HttpOrigin git = upstreams.https(
            "git.example.test", GitRepository.in(upstreams.directory("git"), "notes of the repository\n"));
    private final HttpOrigin packages =
            upstreams.https("packages.example.test", PackageRegistry.in(upstreams.directory("packages")));
    private final Optional<NginxOrigin> nginx =
            NginxOrigin.isInstalled() ? Optional.of(upstreams.nginx("nginx.example.test")) : Optional.empty();

    World() {
        ports.put("web", web.port());
        ports.put("plain", plain.port());
        ports.put("anthropic", anthropic.port());
        ports.put("openai", openai.port());
        ports.put("gemini", gemini.port());
        ports.put("grpc", grpc.port());
        ports.put("git", git.port());
        ports.put("packages", packages.port());
        nginx.ifPresent(origin -> ports.put("nginx", origin.port()));
        nginx.ifPresent(origin -> origin.file("text", TEXT.getBytes(StandardCharsets.UTF_8)));
    }

    Upstreams upstreams() {
        return upstreams;
    }

    HttpOrigin web() {
        return web;
    }

    HttpOrigin plain() {
        return plain;
    }

    HttpOrigin anthropic() {
        return anthropic;
    }

    HttpOrigin openai() {
        return openai;
    }

    HttpOrigin gemini() {
        return gemini;
    }

    GrpcOrigin grpc() {
        return grpc;
    }

    HttpOrigin git() {
        return git;
    }

    HttpOrigin packages() {
        return packages;
    }

    Optional<NginxOrigin> nginx() {
        return nginx;
    }

    WebSocketEcho echo() {
        return echo;
    }

    /// Another HTTPS origin with an empty log, at `<name>.example.test`.
    HttpOrigin origin(String name) {
        HttpOrigin origin = upstreams.https(name + ".example.test", this::web);
        ports.put(name, origin.port());
        return origin;
    }

    /// Another HTTPS origin that answers as the test says.
    HttpOrigin origin(String name, HttpOrigin.Handler handler) {
        HttpOrigin origin = upstreams.https(name + ".example.test", handler);
        ports.put(name, origin.port());
        return origin;
    }

    /// One whose name only others can resolve.
    HttpOrigin originUnknownToTheHost(String name) {
        HttpOrigin origin = upstreams.keep(
                HttpOrigin.secure(upstreams.authority().issue(name + ".example.test", "localhost"), this::web));
        ports.put(name, origin.port());
        return origin;
    }

    /// More lines for the profile's `[network]`.
    void networkSettings(String lines) {
        networkSettings = lines;
    }

    Place place(String name) {
        Integer port = ports.get(name);
        if (port == null) {
            throw new IllegalArgumentException("no origin " + name);
        }
        return new Place(name + ".example.test", port);
    }

    /// A command for the sandbox: `{web}` and its like become `host:port`.
    String command(String template) {
        return filled(template, false);
    }

    /// The same for this host, past the sandbox.
    String direct(String template) {
        return filled(template, true);
    }

    private String filled(String template, boolean isDirect) {
        String text = template;
        for (Map.Entry<String, Integer> entry : ports.entrySet()) {
            String host = isDirect ? "localhost" : entry.getKey() + ".example.test";
            text = text.replace("{" + entry.getKey() + "}", host + ":" + entry.getValue());
        }
        return text;
    }

    /// What a client on this host needs to trust the test authority.
    Map<String, String> directEnvironment() {
        String ca = upstreams.authority().certificate().toString();
        return Map.of(
                "SSL_CERT_FILE", ca,
                "NODE_EXTRA_CA_CERTS", ca,
                "REQUESTS_CA_BUNDLE", ca,
                "CURL_CA_BUNDLE", ca,
                "GIT_SSL_CAINFO", ca);
    }

    /// The profile, with more rules of a test's own.
    String profile(String rules) {
        return """
                schema = "capsem.profile.v2"
                id = "%s"
                name = "Network tests"
                description = "The names of the tests, on loopback; nothing else."
                extends = "locked-down"

                [network]
                resolvers = ["127.0.0.1:%d"]
                extra_ca = "%s"
                %s
                [ai.providers.anthropic]
                base_url = "https://anthropic.example.test:%d"

                [ai.providers.openai]
                base_url = "https://openai.example.test:%d/v1"

                [ai.providers.google]
                base_url = "https://gemini.example.test:%d"

                [security.rules.http.names]
                on = "http.request"
                if = 'http.request.host.endsWith(".example.test")'
                decision = "allow"
                priority = 600

                [security.rules.http.world]
                on = "http.request"
                if = 'http.request.address_class == "loopback" && http.request.host.endsWith(".example.test")'
                decision = "allow"
                priority = 500

                [security.rules.http.answers]
                on = "http.response"
                if = 'http.request.host.endsWith(".example.test")'
                decision = "allow"
                priority = 500

                [security.rules.dns.world]
                on = "dns.request"
                if = 'dns.request.qname.endsWith(".example.test")'
                decision = "allow"
                priority = 500

                [security.rules.model.world]
                on = "model.request"
                if = 'model.request.provider in ["anthropic", "openai", "google_gemini"]'
                decision = "allow"
                priority = 500

                [security.rules.model.answers]
                on = "model.response"
                if = "model.response.body.state != 'redacted'"
                decision = "allow"
                priority = 500

                %s
                """.formatted(
                        PROFILE,
                        upstreams.dns().port(),
                        upstreams.authority().certificate(),
                        networkSettings,
                        anthropic.port(),
                        openai.port(),
                        gemini.port(),
                        rules);
    }

    private void web(Exchange exchange) throws IOException {
        switch (exchange.path()) {
            case "/text" -> exchange.reply(200, TEXT_HEADERS, TEXT.getBytes(StandardCharsets.UTF_8));
            case "/echo" -> {
                byte[] body = exchange.bodyBytes();
                exchange.reply(
                        200,
                        "application/json",
                        "{\"method\": \"%s\", \"bytes\": %d, \"sha256\": \"%s\"}\n"
                                .formatted(exchange.method(), body.length, sha256(body)));
            }
            case "/upload" -> {
                exchange.body().transferTo(OutputStream.nullOutputStream());
                exchange.reply(200, "text/plain", "stored\n");
            }
            case "/bulk" -> {
                BulkBytes bytes = new BulkBytes(Integer.parseInt(
                        exchange.target().substring(exchange.target().indexOf('=') + 1)));
                exchange.raw("HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\ncontent-length: "
                        + bytes.size() + "\r\n\r\n");
                OutputStream out = exchange.takeOutput();
                bytes.writeTo(out);
                out.flush();
            }
            case "/chunks" -> {
                try (OutputStream out = exchange.chunked(200, Map.of("content-type", "text/plain"))) {
                    for (int i = 0; i < 5; i++) {
                        out.write(("chunk " + i + "\n").getBytes(StandardCharsets.UTF_8));
                        out.flush();
                    }
                }
            }
            case "/sse" -> {
                String stream = exchange.target().substring(exchange.target().indexOf('=') + 1);
                try (OutputStream out = exchange.chunked(200, Map.of("content-type", "text/event-stream"))) {
                    for (int i = 0; i < SSE_EVENTS - 1; i++) {
                        out.write(("data: event " + i + "\n\n").getBytes(StandardCharsets.UTF_8));
                        out.flush();
                        pause(500);
                    }
                    out.write(("data: last of " + stream + "\n\n").getBytes(StandardCharsets.UTF_8));
                }
            }
            case "/none" -> exchange.reply(204, Map.of("x-origin", "web"), new byte[0]);
            case "/unchanged" -> exchange.reply(304, Map.of("etag", "\"1\""), new byte[0]);
            case "/hints" -> {
                exchange.raw("HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n");
                exchange.reply(200, "text/plain", "after a hint\n");
            }
            case "/early" -> {
                // Answers before the body is read, then lets it come: closing at once would be a reset,
                // which may overtake the answer.
                exchange.raw("HTTP/1.1 413 Too Large\r\ncontent-length: 6\r\nconnection: close\r\n\r\nlarge\n");
                exchange.body().transferTo(OutputStream.nullOutputStream());
                exchange.last();
            }
            case "/slow" -> {
                try (OutputStream out = exchange.chunked(200, Map.of("content-type", "text/plain"))) {
                    for (int i = 0; i < 4; i++) {
                        out.write(("slow " + i + "\n").getBytes(StandardCharsets.UTF_8));
                        out.flush();
                        pause(300);
                    }
                }
            }
            case "/short" -> {
                exchange.raw("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 1000\r\n\r\nonly this");
                exchange.last();
            }
            case "/badchunk" -> {
                exchange.raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nnot-a-size\r\nx");
                exchange.last();
            }
            case "/dies" -> {
                exchange.raw("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100000\r\n\r\nsome");
                pause(100);
                exchange.reset();
            }
            case "/garbage" -> {
                exchange.raw("this is not HTTP at all\r\n\r\n");
                exchange.last();
            }
            case "/both" -> {
                exchange.raw("HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n");
                exchange.raw("5\r\nhello\r\n0\r\n\r\n");
                exchange.last();
            }
            case "/inward" ->
                exchange.reply(302, Map.of("location", "http://169.254.169.254/latest/meta-data/"), new byte[0]);
            case "/ws" -> echo.handle(exchange);
            default -> exchange.reply(404, "text/plain", "no such page\n");
        }
    }

    private static void pause(int millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException(interrupted));
        }
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public void close() {
        upstreams.close();
    }
}
