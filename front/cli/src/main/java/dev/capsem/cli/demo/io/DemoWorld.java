package dev.capsem.cli.demo.io;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.capsem.network.tls.AuthorityKeys;
import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/// A web site, a place to paste things, a place to deploy to and a model API, each under a name of its own that only
/// [NameServer] knows, over TLS or without. Remembers what reached it.
public final class DemoWorld implements AutoCloseable {
    public static final String DOMAIN = "demo.test";

    /// The usage in the model API's one answer.
    public static final int INPUT_TOKENS = 1_200;

    public static final int OUTPUT_TOKENS = 85;

    private static final Duration LIFE = Duration.ofHours(1);
    private static final char[] NO_PASSWORD = new char[0];

    private final TaskScope scope = new TaskScope("demo-names", (_, _) -> {});
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final List<String> received = new CopyOnWriteArrayList<>();
    private final NameServer names;
    private final HttpServer web;
    private final HttpServer models;
    private final boolean isSecure;
    private final Path certificate;

    /// @param directory where the certificate of its authority goes
    /// @param isSecure whether it speaks TLS
    public DemoWorld(Path directory, boolean isSecure, SecureRandom random, Instant now) throws IOException {
        this.isSecure = isSecure;
        this.certificate = directory.resolve("demo-ca.crt");
        AuthorityKeys authority = AuthorityKeys.generate(now.minus(LIFE), now.plus(LIFE), random);
        Files.writeString(certificate, authority.certificatePem());
        names = new NameServer(DOMAIN, scope);
        web = server("web." + DOMAIN, authority, random, now);
        web.createContext("/", this::page);
        models = server("models." + DOMAIN, authority, random, now);
        models.createContext("/v1/messages", this::message);
        web.start();
        models.start();
    }

    private HttpServer server(String name, AuthorityKeys authority, SecureRandom random, Instant now)
            throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        HttpServer server;
        if (isSecure) {
            HttpsServer secure = HttpsServer.create(address, 0);
            secure.setHttpsConfigurator(new HttpsConfigurator(context(name, authority, random, now)));
            server = secure;
        } else {
            server = HttpServer.create(address, 0);
        }
        server.setExecutor(executor);
        return server;
    }

    private static SSLContext context(String name, AuthorityKeys authority, SecureRandom random, Instant now)
            throws IOException {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), random);
            KeyPair pair = generator.generateKeyPair();
            Certificate leaf = authority.issue(name, pair.getPublic(), now.minus(LIFE), now.plus(LIFE), random);
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, NO_PASSWORD);
            store.setKeyEntry(
                    "demo", pair.getPrivate(), NO_PASSWORD, new Certificate[] {leaf, authority.certificate()});
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(store, NO_PASSWORD);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(managers.getKeyManagers(), null, random);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no P-256 or no TLS", e);
        }
    }

    /// The certificate of its authority, a PEM file.
    public Path certificate() {
        return certificate;
    }

    public int resolverPort() {
        return names.port();
    }

    public String web() {
        return url("web.", web);
    }

    public String models() {
        return url("models.", models);
    }

    private String url(String prefix, HttpServer server) {
        return (isSecure ? "https://" : "http://") + prefix + DOMAIN + ":"
                + server.getAddress().getPort();
    }

    /// `METHOD path` of everything that reached the web site, in order.
    public List<String> received() {
        return List.copyOf(received);
    }

    private void page(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().transferTo(OutputStream.nullOutputStream());
        received.add(
                exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath());
        String text = switch (exchange.getRequestURI().getPath()) {
            case "/headers" -> {
                var seen = new TreeSet<String>();
                exchange.getRequestHeaders().keySet().forEach(name -> seen.add(name.toLowerCase(Locale.ROOT)));
                yield "I was sent " + String.join(", ", seen) + "\n";
            }
            case "/deploy" -> "deployed\n";
            default -> "hello from outside\n";
        };
        answer(exchange, "text/plain; charset=utf-8", text);
    }

    /// The Messages API, streamed: one short answer.
    private void message(HttpExchange exchange) throws IOException {
        exchange.getRequestBody().transferTo(OutputStream.nullOutputStream());
        answer(exchange, "text/event-stream", """
                event: message_start
                data: {"type":"message_start","message":{"id":"msg_demo","type":"message","role":"assistant",\
                "model":"claude-sonnet-4-5","content":[],"stop_reason":null,"stop_sequence":null,\
                "usage":{"input_tokens":%d,"output_tokens":1}}}

                event: content_block_start
                data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

                event: content_block_delta
                data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"All tests pass."}}

                event: content_block_stop
                data: {"type":"content_block_stop","index":0}

                event: message_delta
                data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},\
                "usage":{"output_tokens":%d}}

                event: message_stop
                data: {"type":"message_stop"}

                """.formatted(INPUT_TOKENS, OUTPUT_TOKENS));
    }

    private static void answer(HttpExchange exchange, String type, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("content-type", type);
        exchange.sendResponseHeaders(200, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    @Override
    public void close() {
        web.stop(0);
        models.stop(0);
        executor.close();
        names.close();
        scope.close();
    }
}
