package dev.capsem.mcp.connection;

import dev.capsem.wire.mcp.McpFrame;
import dev.capsem.wire.mcp.McpFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// Frames on their way to the guest, written by one thread in the order they came.
final class Outbox {
    private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

    /// An empty one ends the stream.
    private final BlockingQueue<Optional<McpFrame>> frames;
    private final AtomicLong dropped = new AtomicLong();
    private volatile boolean isBroken;

    Outbox(int framesMax) {
        this.frames = new ArrayBlockingQueue<>(framesMax);
    }

    /// Waits for room. Does nothing once the guest is gone.
    void put(McpFrame frame) throws InterruptedException {
        await(Optional.of(frame));
    }

    private void await(Optional<McpFrame> frame) throws InterruptedException {
        while (!isBroken && !frames.offer(frame, LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS)) {
            // Full: a guest that does not read gets no new replies either.
        }
    }

    /// False, and counted, if there is no room.
    boolean offer(McpFrame frame) {
        boolean isTaken = !isBroken && frames.offer(Optional.of(frame));
        if (!isTaken) {
            dropped.incrementAndGet();
        }
        return isTaken;
    }

    long dropped() {
        return dropped.get();
    }

    /// Writes until [#end] and everything before it is out, or the channel breaks.
    void writeTo(WritableByteChannel channel) throws IOException, InterruptedException {
        try {
            for (Optional<McpFrame> next = frames.take(); next.isPresent(); next = frames.take()) {
                ByteBuffer bytes = ByteBuffer.wrap(McpFrames.encode(next.get()));
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            }
        } finally {
            isBroken = true;
            frames.clear();
        }
    }

    /// No more frames will be put.
    void end() throws InterruptedException {
        await(Optional.empty());
    }
}
