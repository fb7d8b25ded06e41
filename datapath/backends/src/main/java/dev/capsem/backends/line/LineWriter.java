package dev.capsem.backends.line;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/// Lines on their way out, written by one thread, flushed when no more wait.
public final class LineWriter {
    private static final int LINES_MAX = 256;

    /// An empty one ends the stream.
    private final BlockingQueue<Optional<byte[]>> lines = new ArrayBlockingQueue<>(LINES_MAX);

    private final Thread writer;
    private volatile boolean isBroken;

    public LineWriter(OutputStream out) {
        // A pipe blocks its carrier, so this is a thread of the platform.
        this.writer = Thread.ofPlatform().daemon().name("line-writer").start(() -> run(out));
    }

    /// Waits for room. Does nothing once nobody reads any more.
    public void write(byte[] line) {
        if (!isBroken) {
            await(Optional.of(line));
        }
    }

    /// False if there is no room.
    public boolean offer(byte[] line) {
        return !isBroken && lines.offer(Optional.of(line));
    }

    /// Waits until everything is written.
    public void finish() {
        await(Optional.empty());
        try {
            writer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void await(Optional<byte[]> line) {
        try {
            lines.put(line);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(OutputStream target) {
        try (OutputStream out = new BufferedOutputStream(target, 64 * 1024)) {
            while (true) {
                Optional<byte[]> line = lines.peek() == null ? flushed(out) : lines.take();
                if (line.isEmpty()) {
                    return;
                }
                out.write(line.get());
                out.write('\n');
            }
        } catch (IOException e) {
            isBroken = true;
            drain();
        } catch (InterruptedException e) {
            isBroken = true;
            Thread.currentThread().interrupt();
        }
    }

    private Optional<byte[]> flushed(OutputStream out) throws IOException, InterruptedException {
        out.flush();
        return lines.take();
    }

    /// Writers that wait for room are let go, until [#finish].
    private void drain() {
        try {
            while (lines.take().isPresent()) {
                // Nobody will read it.
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
