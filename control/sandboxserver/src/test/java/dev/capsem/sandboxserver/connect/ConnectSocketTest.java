package dev.capsem.sandboxserver.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.http.WebSocketHandler;
import dev.capsem.sandboxserver.protocol.ConnectFrames;
import dev.capsem.service.FakeHost;
import dev.capsem.service.SandboxEngine;
import dev.capsem.service.table.SessionLedger;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ProvisionRequest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A terminal of the Connect protocol over a sandbox whose process is a fake.
class ConnectSocketTest {
    @TempDir
    private Path home = Path.of("replaced by JUnit");

    /// What a client reads.
    private static final class Client implements WebSocketHandler.Peer {
        private final List<String> frames = new CopyOnWriteArrayList<>();
        private final CompletableFuture<String> last = new CompletableFuture<>();

        @Override
        public boolean send(ByteBuffer frame) {
            frames.add(Json.text(ConnectFrames.read(frame).getFirst()));
            return true;
        }

        @Override
        public void sendLast(ByteBuffer frame, Runnable then) {
            byte[] bytes = new byte[frame.remaining()];
            frame.get(bytes);
            // Behind the flag and the length.
            last.complete(new String(bytes, 5, bytes.length - 5, StandardCharsets.UTF_8));
        }

        @Override
        public void sendLast(String frame, Runnable then) {
            throw new AssertionError("the protocol has no text frames");
        }

        @Override
        public void close() {}
    }

    private static ByteBuffer frame(String json) {
        return ByteBuffer.wrap(ConnectFrames.message(Json.parse(json)));
    }

    private static String provisioned(SandboxEngine engine) {
        return engine.sandboxes()
                .provision(ProvisionRequest.temporary(), SessionLedger.Mode.TEMPORARY, Optional.empty())
                .sandbox()
                .id()
                .value();
    }

    @Test
    void outputAndEndOfACommandAreFrames() {
        try (SandboxEngine engine = new FakeHost(home).open()) {
            Client client = new Client();
            ConnectSocket socket = new ConnectSocket(provisioned(engine), engine.commands());
            socket.opened(client);

            boolean takesMore = socket.binary(frame("{\"open\":{\"command\":\"top\"}}"));

            assertThat(takesMore).isTrue();
            assertThat(client.last.join()).isEqualTo("{\"exit\":{\"exitCode\":3}}");
            assertThat(client.frames).containsExactly("{\"stdout\":\"dG9wCg==\"}", "{\"stderr\":\"ZQ==\"}");
            socket.closed();
        }
    }

    @Test
    void whatCannotStartEndsWithItsErrorAndNothingMoreIsRead() {
        FakeHost fake = new FakeHost(home);
        try (SandboxEngine engine = fake.open()) {
            for (String open : List.of("{\"open\":{\"command\":\"\\u0000\"}}", "{\"stdin\":\"YQ==\"}")) {
                Client client = new Client();
                ConnectSocket socket = new ConnectSocket(provisioned(engine), engine.commands());
                socket.opened(client);

                boolean takesMore = socket.binary(frame(open));

                assertThat(takesMore).isFalse();
                assertThat(client.last.join()).contains("\"error\"", "invalid_argument");
                assertThat(client.frames).isEmpty();
                socket.closed();
            }
        }
    }
}
