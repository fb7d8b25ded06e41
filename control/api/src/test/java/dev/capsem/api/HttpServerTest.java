package dev.capsem.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.capsem.client.GuestCommand;
import dev.capsem.client.io.ExecStream;
import dev.capsem.client.io.LineStream;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.client.io.TerminalConnection;
import dev.capsem.http.Front;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.RouteTable;
import dev.capsem.http.io.HttpAdapter;
import dev.capsem.http.io.HttpServer;
import dev.capsem.service.FakeHost;
import dev.capsem.service.SandboxEngine;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.ProvisionRequest;
import dev.capsem.wire.service.TerminalStart;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/// Jetty and our client over a real Unix socket.
@Tag("sockets")
class HttpServerTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    private Path home = Path.of("replaced by JUnit");

    private Optional<SandboxEngine> host = Optional.empty();
    private Optional<HttpServer> server = Optional.empty();
    private Optional<ServiceClient> client = Optional.empty();

    private Path socket() {
        return home.resolve("run/service.sock");
    }

    private ServiceClient client() {
        return client.orElseThrow();
    }

    @BeforeEach
    void start() throws IOException {
        FakeHost fake = new FakeHost(home);
        SandboxEngine opened = fake.open();
        RouteTable routes = new TestService(fake, opened, () -> {}).routes();
        host = Optional.of(opened);
        server = Optional.of(HttpServer.start(socket(), routes));
        client = Optional.of(ServiceClient.connectingTo(socket()));
    }

    @AfterEach
    void stop() {
        client().close();
        server.orElseThrow().close();
        host.orElseThrow().close();
        assertThat(socket()).doesNotExist();
    }

    private void refused(int status, String code, Runnable call) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(ServiceCallException.class, e -> {
            assertThat(e.status()).isEqualTo(status);
            assertThat(e.error().code()).isEqualTo(code);
            assertThat(e.error().remedy()).isNotBlank();
        });
    }

    @Test
    void onlyTheOwnerMayConnect() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket())))
                .isEqualTo("rw-------");
    }

    @Test
    void callsFollowOneAnotherOnOneConnectionEvenAfterErrors() {
        String id = client().provision(ProvisionRequest.temporary()).id();

        assertThat(client().exec(id, ExecRequest.shell("ls")).stdout()).isEqualTo("ls\n");
        refused(404, "sandbox_not_found", () -> client().sandbox("nobody"));
        refused(422, "bad_command", () -> client().exec(id, ExecRequest.shell("\0")));
        assertThat(client().list()).hasSize(1);
        assertThat(client().version()).isEqualTo("0.1.0");
        assertThat(client().stop(id).persistent()).isFalse();
    }

    @Test
    void clientThatSendsTooMuchGetsItsAnswer() {
        String id = client().provision(ProvisionRequest.temporary()).id();

        refused(413, "too_large", () -> client().writeFile(id, "big", new byte[11 * 1_048_576]));
        refused(404, "sandbox_not_found", () -> client().writeFile("nobody", "big", new byte[5 * 1_048_576]));
        assertThat(client().version()).isEqualTo("0.1.0");
    }

    @Test
    void filesTravelWithOddNames() {
        String id = client().provision(ProvisionRequest.temporary()).id();

        byte[] read = client().readFile(id, "a b/ä?&=#.txt");

        assertThat(new String(read, StandardCharsets.UTF_8)).isEqualTo("file-read a b/ä?&=#.txt 10485760");
    }

    @Test
    void streamsArriveEventByEvent() {
        String id = client().provision(ProvisionRequest.temporary()).id();
        List<String> kinds = new ArrayList<>();

        try (ExecStream stream = client().execStreaming(id, ExecRequest.shell("ls"))) {
            for (Optional<ExecEvent> event = stream.next(); event.isPresent(); event = stream.next()) {
                kinds.add(event.get().getClass().getSimpleName());
            }
        }

        assertThat(kinds).containsExactly("Started", "Stdout", "Stderr", "Exited");
    }

    @Test
    void terminalRunsOverWebSocket() {
        String id = client().provision(ProvisionRequest.temporary()).id();
        List<String> seen = new ArrayList<>();

        try (TerminalConnection terminal =
                client().start(id, new TerminalStart(ExecRequest.shell("top"), false, 24, 80))) {
            for (var event = terminal.next(); event.isPresent(); event = terminal.next()) {
                seen.add(
                        switch (event.get()) {
                            case GuestCommand.Event.Output output ->
                                output.stream() + ":" + new String(output.data(), StandardCharsets.UTF_8);
                            case GuestCommand.Event.Exited exited -> "exit " + exited.exitCode();
                            case GuestCommand.Event.Failed failed ->
                                failed.error().code();
                        });
            }
        }

        assertThat(seen).containsExactly("1:top\n", "2:e", "exit 3");
        refused(
                404,
                "sandbox_not_found",
                () -> client().start("nobody", new TerminalStart(ExecRequest.shell("x"), true, 24, 80))
                        .close());
    }

    @Test
    void watchersSeeWhatHappens() {
        try (LineStream events = client().events()) {
            assertThat(line(events)).startsWith(":");
            assertThat(line(events)).isEmpty();
            String id = client().provision(ProvisionRequest.temporary()).id();

            assertThat(line(events)).isEqualTo("event: sandbox");
            assertThat(line(events)).contains(id).contains("created");
        }
    }

    private static String line(LineStream stream) {
        return new String(stream.next().orElseThrow(), StandardCharsets.UTF_8);
    }

    @Test
    void aCallerWhoLeavesIsMissed() throws IOException {
        CompletableFuture<Boolean> missed = new CompletableFuture<>();
        CountDownLatch began = new CountDownLatch(1);
        Front waiting = request -> {
            request.body().read(100);
            began.countDown();
            try {
                while (true) {
                    request.caller().requireThere();
                    LockSupport.parkNanos(1_000_000);
                }
            } catch (HttpAnswer.ClientGoneException e) {
                missed.complete(true);
                throw e;
            }
        };
        Path other = home.resolve("run/other.sock");
        try (HttpServer _ = HttpServer.start(other, waiting)) {
            try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(other))) {
                channel.write(ascii("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"));
                await(began);
            }

            assertThat(missed).succeedsWithin(PATIENCE).isEqualTo(true);
        }
    }

    /// One that has what it came for does not wait for the end of the stream; that is no fault of ours.
    @Test
    void aCallerWhoLeavesBeforeTheLastByteIsNoError() throws IOException {
        CountDownLatch left = new CountDownLatch(1);
        Front stream = request -> new HttpAnswer.Stream("application/x-ndjson", sink -> {
            sink.write("{}\n".getBytes(StandardCharsets.US_ASCII));
            await(left);
        });
        var log = (Logger) LoggerFactory.getLogger(HttpAdapter.class);
        var logged = new ListAppender<ILoggingEvent>();
        logged.start();
        log.addAppender(logged);
        Path other = home.resolve("run/other.sock");
        try (HttpServer _ = HttpServer.start(other, stream)) {
            try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(other))) {
                channel.write(ascii("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
                assertThat(channel.read(ByteBuffer.allocate(1_024))).isPositive();
            }
            left.countDown();
        } finally {
            log.detachAppender(logged);
        }

        assertThat(logged.list).noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.WARN));
    }

    @Test
    void aRequestSentTooEarlyIsLeftToAnotherConnection() throws IOException {
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        Front waiting = request -> {
            began.countDown();
            await(second);
            request.caller().requireThere();
            return HttpAnswer.json(Json.object().put("path", request.path()));
        };
        Path other = home.resolve("run/other.sock");
        try (HttpServer _ = HttpServer.start(other, waiting);
                SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(other))) {
            channel.write(ascii("GET /first HTTP/1.1\r\nHost: x\r\n\r\n"));
            await(began);
            channel.write(ascii("GET /second HTTP/1.1\r\nHost: x\r\n\r\n"));
            second.countDown();

            String all = new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(all).contains("Connection: close", "/first").doesNotContain("/second", "400 Bad");
        }
    }

    /// Otherwise whoever has no token could keep all connections of the gateway for itself.
    @Test
    void whoNeverEndsABodyThatIsRefusedIsAnsweredAndGone() throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
            channel.write(ascii("POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{"));

            String all = new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(all).startsWith("HTTP/1.1 404").contains("Connection: close");
        }
    }

    @Test
    void aBodyThatIsRefusedAndEndsLeavesTheConnectionOpen() throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
            channel.write(ascii("POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{"));
            channel.write(ascii("    "));
            assertThat(channel.read(ByteBuffer.allocate(4_096))).isPositive();
            channel.write(ascii("GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));

            String next = new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(next).contains("HTTP/1.1 404");
        }
    }

    private static ByteBuffer ascii(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /// Jetty's own error page is JSON too, without any of our members.
    @Test
    void anErrorOfTheJvmIsAnAnswerWithCauseCodeAndRemedy() throws IOException {
        Front full = request -> {
            throw new OutOfMemoryError("Java heap space");
        };
        Path other = home.resolve("run/other.sock");
        try (HttpServer _ = HttpServer.start(other, full);
                ServiceClient caller = ServiceClient.connectingTo(other)) {
            assertThatThrownBy(() -> caller.purge(true)).isInstanceOfSatisfying(ServiceCallException.class, e -> {
                assertThat(e.status()).isEqualTo(500);
                assertThat(e.error().code()).isEqualTo("internal");
                assertThat(e.error().error()).contains("the service failed", "OutOfMemoryError");
                assertThat(e.error().remedy()).contains("capsem triage");
            });
        }
    }

    @Test
    void aRequestThatIsNoHttpIsRefusedWithCauseCodeAndRemedy() throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
            channel.write(
                    ascii("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\nAccept: application/json\r\n\r\n"));

            String all = new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(all).startsWith("HTTP/1.1 400");
            JsonNode body =
                    Json.parse(all.substring(all.indexOf("\r\n\r\n") + 4).getBytes(StandardCharsets.US_ASCII));
            assertThat(body.path("code").asString("")).isEqualTo("bad_request");
            assertThat(body.path("error").asString("")).isNotBlank();
            assertThat(body.path("remedy").asString("")).isNotBlank();
        }
    }

    @Test
    void nobodyAtTheSocketIsSaidSo() {
        refused(
                0,
                "service_unreachable",
                () -> ServiceClient.connectingTo(home.resolve("none.sock")).version());
    }
}
