package dev.capsem.backends.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.io.Connector;
import dev.capsem.backends.io.DirectDialer;
import dev.capsem.backends.line.EventLog;
import dev.capsem.backends.upstream.McpUpstream.Handshake;
import dev.capsem.wire.aggregator.ServerDefinition;
import dev.capsem.wire.aggregator.ServerStatus;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.jsonrpc.JsonRpcId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A program whose first start downloads a package speaks late.
@Timeout(120)
@Tag("sockets")
class SlowProgramTest implements McpUpstream.Listener {
    private static final Duration SHORT = Duration.ofSeconds(1);

    @TempDir
    Path directory;

    private final CountDownLatch silence = new CountDownLatch(1);

    @Test
    void aProgramHasMoreTimeThanAServer() {
        assertThat(Handshake.USUAL.program()).isGreaterThanOrEqualTo(Duration.ofSeconds(90));
        assertThat(Handshake.USUAL.request()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void anAnswerThatWouldBeTooLateForAServerIsInTimeForAProgram() throws Exception {
        ServerStatus status = statusAfterFirstTry(new Handshake(Duration.ofMinutes(1), SHORT), () -> {
            assertThat(silence.await(3 * SHORT.toMillis(), TimeUnit.MILLISECONDS))
                    .isFalse();
            return true;
        });

        assertThat(status.isConnected()).isTrue();
    }

    @Test
    void theReasonNamesTheLimitAndWhatToType() throws Exception {
        ServerStatus status =
                statusAfterFirstTry(new Handshake(SHORT, SHORT), () -> !silence.await(1, TimeUnit.MINUTES));

        assertThat(status.isConnected()).isFalse();
        assertThat(status.error().orElseThrow())
                .contains("did not answer within 1 s", "capsem mcp test slow --learn", "install it once");
    }

    /// Whether to speak at all, after however long.
    private interface Hesitation {
        boolean speaks() throws InterruptedException;
    }

    private ServerStatus statusAfterFirstTry(Handshake handshake, Hesitation hesitation) throws Exception {
        Path socket = directory.resolve("s");
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                HttpClient http = new HttpClient(
                        new Connector(new DirectDialer(), (SSLSocketFactory) SSLSocketFactory.getDefault()))) {
            listener.bind(UnixDomainSocketAddress.of(socket));
            Thread.ofVirtual().start(() -> program(listener, hesitation));
            ServerDefinition definition = ServerDefinition.listOf(
                            Json.parse("[{\"name\":\"slow\",\"socket\":\"" + socket + "\"}]"))
                    .getFirst();
            McpUpstream upstream = new McpUpstream(
                    definition,
                    http,
                    this,
                    new EventLog(new PrintStream(PrintStream.nullOutputStream()), InstantSource.system()),
                    handshake);
            Thread.ofVirtual().start(upstream::run);
            assertThat(upstream.status().error()).contains(ServerStatus.CONNECTING);
            upstream.triedOnce().join();
            ServerStatus status = upstream.status();
            upstream.close();
            silence.countDown();
            return status;
        }
    }

    private static void program(ServerSocketChannel listener, Hesitation hesitation) {
        try (SocketChannel client = listener.accept();
                BufferedReader in = new BufferedReader(Channels.newReader(client, StandardCharsets.UTF_8))) {
            JsonNode asked = Json.parse(in.readLine());
            if (hesitation.speaks()) {
                ObjectNode answer = Json.object()
                        .put("jsonrpc", "2.0")
                        .put("id", asked.path("id").asLong());
                ObjectNode result = answer.putObject("result").put("protocolVersion", "2025-06-18");
                result.putObject("capabilities");
                result.putObject("serverInfo").put("name", "slow").put("version", "1");
                client.write(ByteBuffer.wrap((Json.text(answer) + "\n").getBytes(StandardCharsets.UTF_8)));
                in.readLine();
                in.readLine();
            }
        } catch (IOException e) {
            // The other side had enough.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void notified(String server, OptionalLong call, String method, Optional<ObjectNode> params) {}

    @Override
    public void asked(
            McpUpstream source, JsonRpcId id, OptionalLong call, String method, Optional<ObjectNode> params) {}
}
