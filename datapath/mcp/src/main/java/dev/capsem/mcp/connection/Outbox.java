package dev.capsem.mcp.connection;

import dev.capsem.wire.mcp.McpFrame;
import dev.capsem.wire.mcp.McpFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Frames on their way to the guest, written by one thread in the order they came.
final class Outbox {
    private final int framesMax;
    private final int bytesMax;
    private final Capacity capacity;

    /// Guards everything below.
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition isFuller = lock.newCondition();
    private final Condition isEmptier = lock.newCondition();
    private final Queue<McpFrame> frames = new ArrayDeque<>();
    /// Of the queue, and of what is being written.
    private int bytes;
    private long dropped;
    private boolean isEnded;
    private boolean isBroken;

    /// @param capacity what all connections together may hold
    Outbox(int framesMax, int bytesMax, Capacity capacity) {
        this.framesMax = framesMax;
        this.bytesMax = bytesMax;
        this.capacity = capacity;
    }

    /// Waits for capacity: a guest that does not read gets no new replies either. Does nothing once the guest is gone.
    /// False if all connections together hold too much already to wait.
    boolean put(McpFrame frame) throws InterruptedException {
        int size = frame.payload().length;
        if (!capacity.tryHoldReply(size)) {
            return false;
        }
        boolean isTaken = false;
        lock.lock();
        try {
            while (!isBroken && !hasRoom(size)) {
                isEmptier.await();
            }
            isTaken = !isBroken;
            if (isTaken) {
                add(frame, size);
            }
        } finally {
            lock.unlock();
            if (!isTaken) {
                capacity.replyGone(size);
            }
        }
        return true;
    }

    /// False, and counted, if there is no capacity.
    boolean offer(McpFrame frame) {
        int size = frame.payload().length;
        boolean isHeld = capacity.tryHoldReply(size);
        boolean isTaken;
        lock.lock();
        try {
            isTaken = isHeld && !isBroken && hasRoom(size);
            if (isTaken) {
                add(frame, size);
            } else {
                dropped++;
            }
        } finally {
            lock.unlock();
        }
        if (isHeld && !isTaken) {
            capacity.replyGone(size);
        }
        return isTaken;
    }

    /// One that is larger than all there may be goes alone.
    private boolean hasRoom(int size) {
        return frames.size() < framesMax && (bytes == 0 || bytes + size <= bytesMax);
    }

    private void add(McpFrame frame, int size) {
        frames.add(frame);
        bytes += size;
        isFuller.signal();
    }

    long dropped() {
        lock.lock();
        try {
            return dropped;
        } finally {
            lock.unlock();
        }
    }

    /// Writes until [#end] and everything before it is out, or the channel breaks.
    void writeTo(WritableByteChannel channel) throws IOException, InterruptedException {
        try {
            for (Optional<McpFrame> next = take(); next.isPresent(); next = take()) {
                ByteBuffer encoded = ByteBuffer.wrap(McpFrames.encode(next.get()));
                while (encoded.hasRemaining()) {
                    channel.write(encoded);
                }
                written(next.get());
            }
        } finally {
            giveUp();
        }
    }

    /// Empty when the stream is over.
    private Optional<McpFrame> take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (frames.isEmpty() && !isEnded) {
                isFuller.await();
            }
            return Optional.ofNullable(frames.poll());
        } finally {
            lock.unlock();
        }
    }

    private void written(McpFrame frame) {
        int size = frame.payload().length;
        lock.lock();
        try {
            bytes -= size;
            isEmptier.signalAll();
        } finally {
            lock.unlock();
        }
        capacity.replyGone(size);
    }

    private void giveUp() {
        int left;
        lock.lock();
        try {
            isBroken = true;
            left = bytes;
            bytes = 0;
            frames.clear();
            isEmptier.signalAll();
        } finally {
            lock.unlock();
        }
        capacity.replyGone(left);
    }

    /// No more frames will be put.
    void end() {
        lock.lock();
        try {
            isEnded = true;
            isFuller.signal();
        } finally {
            lock.unlock();
        }
    }
}
