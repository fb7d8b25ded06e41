package dev.capsem.process.guest;

import dev.capsem.wire.guest.GuestMessage;
import dev.capsem.wire.guest.GuestProtocol;
import dev.capsem.wire.guest.HostMessage;
import dev.capsem.wire.io.FrameChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;

/// Writes to one connection from a thread of its own. Callers' threads may be interrupted, and an interrupt during
/// a write would close the connection, and with it the sandbox.
final class GuestWriter {
    /// Frames waiting to be written, in bytes: two of the largest. Whoever wants to send more waits.
    private static final int QUEUE_BYTES_MAX = 2 * GuestProtocol.FRAME_BYTES_MAX;

    private final FrameChannel<GuestMessage> channel;
    private final LinkedBlockingQueue<ByteBuffer> queue = new LinkedBlockingQueue<>();
    private final Semaphore room = new Semaphore(QUEUE_BYTES_MAX);
    private volatile boolean closed;

    GuestWriter(FrameChannel<GuestMessage> channel) {
        this.channel = channel;
    }

    /// Waits for room while the guest does not read. After [#close()] the message is dropped.
    /// Throws IllegalArgumentException when the message does not fit into a frame.
    void send(HostMessage message) {
        ByteBuffer frame = GuestProtocol.encode(message);
        room.acquireUninterruptibly(frame.remaining());
        if (!closed) {
            queue.add(frame);
        }
    }

    /// Runs until the connection ends.
    void run() throws IOException, InterruptedException {
        while (!closed) {
            ByteBuffer frame = queue.take();
            int size = frame.remaining();
            channel.send(frame);
            room.release(size);
        }
    }

    void close() {
        closed = true;
        queue.clear();
        room.release(Integer.MAX_VALUE / 2);
    }
}
