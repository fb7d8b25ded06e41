package dev.capsem.sandbox.bwrap.launch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// A file that keeps the last of what a program says, however much that is. A log that cannot be written costs the
/// program nothing: what it says is read all the same.
final class LogRing {
    static final int BYTES_MAX = 1 << 20;

    /// The bytes kept when it is full.
    private static final int BYTES_KEPT = BYTES_MAX / 2;

    private static final int CHUNK_BYTES = 8 * 1024;

    private LogRing() {}

    /// Reads to the end.
    static void copy(InputStream said, Path file) {
        byte[] chunk = new byte[CHUNK_BYTES];
        try (FileChannel log =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (int count = said.read(chunk); count >= 0; count = said.read(chunk)) {
                append(log, ByteBuffer.wrap(chunk, 0, count));
            }
        } catch (IOException e) {
            drain(said, chunk);
        }
    }

    /// Its place is the end as it is now: a program that is started again writes to the same file.
    private static void append(FileChannel log, ByteBuffer bytes) throws IOException {
        if (log.size() + bytes.remaining() > BYTES_MAX) {
            ByteBuffer kept = ByteBuffer.allocate((int) Math.min(BYTES_KEPT, log.size()));
            long from = log.size() - kept.capacity();
            while (kept.hasRemaining() && log.read(kept, from + kept.position()) >= 0) {
                // Until all of it is here.
            }
            log.truncate(0);
            write(log, kept.flip());
        }
        write(log, bytes);
    }

    private static void write(FileChannel log, ByteBuffer bytes) throws IOException {
        log.position(log.size());
        while (bytes.hasRemaining()) {
            log.write(bytes);
        }
    }

    private static void drain(InputStream said, byte[] chunk) {
        try {
            while (said.read(chunk) >= 0) {
                // A program must not wait for somebody to read this.
            }
        } catch (IOException e) {
            // It is over.
        }
    }
}
