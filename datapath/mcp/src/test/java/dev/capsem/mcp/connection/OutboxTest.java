package dev.capsem.mcp.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.wire.mcp.McpFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OutboxTest {
    private static final int CONNECTION_BYTES = 1_000;
    private static final int SANDBOX_BYTES = 2_500;

    private final Capacity capacity = new Capacity(new McpLimits(
            64, 64, 64, 1 << 20, 4, CONNECTION_BYTES, SANDBOX_BYTES, Duration.ofMinutes(1), Duration.ofMinutes(1)));
    private final Outbox outbox = new Outbox(4, CONNECTION_BYTES, capacity);

    private static McpFrame frame(int bytes) {
        return new McpFrame(1, "", new byte[bytes]);
    }

    /// Takes everything, or fails on the first write.
    private record Guest(boolean isThere) implements WritableByteChannel {
        @Override
        public int write(ByteBuffer from) throws IOException {
            if (!isThere) {
                throw new IOException("gone");
            }
            int count = from.remaining();
            from.position(from.limit());
            return count;
        }

        @Override
        public boolean isOpen() {
            return isThere;
        }

        @Override
        public void close() {}
    }

    @Test
    void holdsSoManyFramesAndSoManyBytes() throws InterruptedException {
        assertThat(outbox.put(frame(600))).isTrue();
        assertThat(outbox.offer(frame(600))).isFalse();
        assertThat(outbox.offer(frame(400))).isTrue();
        assertThat(outbox.offer(frame(1))).isFalse();
        assertThat(outbox.offer(frame(0))).isTrue();
        assertThat(outbox.offer(frame(0))).isTrue();
        assertThat(outbox.offer(frame(0))).isFalse();

        assertThat(outbox.dropped()).isEqualTo(3);
        assertThat(capacity.repliesBytes()).isEqualTo(1_000);
    }

    @Test
    void aReplyLargerThanTheLimitGoesAlone() throws InterruptedException {
        assertThat(outbox.put(frame(2_000))).isTrue();
        assertThat(outbox.offer(frame(1))).isFalse();
    }

    @Test
    void repliesThatWaitGoOnWhenTheGuestReads() throws Exception {
        outbox.put(frame(1_000));
        CompletableFuture<Boolean> waiting = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                waiting.complete(outbox.put(frame(1_000)));
                outbox.end();
            } catch (InterruptedException e) {
                waiting.completeExceptionally(e);
            }
        });

        outbox.writeTo(new Guest(true));

        assertThat(waiting.get()).isTrue();
        assertThat(capacity.repliesBytes()).isZero();
    }

    @Test
    void whatAllConnectionsHoldTogetherIsLimited() throws InterruptedException {
        Outbox other = new Outbox(4, CONNECTION_BYTES, capacity);
        outbox.put(frame(1_000));
        other.put(frame(1_000));

        assertThat(new Outbox(4, CONNECTION_BYTES, capacity).put(frame(600))).isFalse();
        assertThat(capacity.repliesBytes()).isEqualTo(2_000);
    }

    @Test
    void aGuestThatIsGoneHoldsNothing() throws InterruptedException {
        outbox.put(frame(500));
        outbox.put(frame(400));

        assertThatThrownBy(() -> outbox.writeTo(new Guest(false))).hasMessage("gone");

        assertThat(outbox.put(frame(1_000))).isTrue();
        assertThat(outbox.offer(frame(1))).isFalse();
        assertThat(capacity.repliesBytes()).isZero();
    }

    @Test
    void whoIsInterruptedHoldsNothing() throws InterruptedException {
        outbox.put(frame(1_000));

        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> outbox.put(frame(1_000))).isInstanceOf(InterruptedException.class);

        assertThat(capacity.repliesBytes()).isEqualTo(1_000);
    }
}
