package dev.capsem.sandbox.bwrap.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/// The end of a sandbox's console log, from where this run of it began.
public final class SessionLog {
    private static final int TAIL_BYTES_MAX = 8 * 1024;

    private final Path file;
    private final long start;

    private SessionLog(Path file, long start) {
        this.file = file;
        this.start = start;
    }

    public static SessionLog fromNow(Path file) {
        try {
            return new SessionLog(file, Files.size(file));
        } catch (IOException e) {
            return new SessionLog(file, 0);
        }
    }

    /// Empty when there is nothing to read.
    public String tail() {
        try (FileChannel channel = FileChannel.open(file)) {
            long from = Math.max(start, channel.size() - TAIL_BYTES_MAX);
            ByteBuffer bytes = ByteBuffer.allocate(TAIL_BYTES_MAX);
            channel.read(bytes, from);
            return new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
