package dev.capsem.process.session;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/// `serial.log`: the agent's console, to which we add how long each stage of a start took.
final class SerialLog {
    private static final int TAIL_BYTES_MAX = 2_048;

    private final Path file;

    SerialLog(Path file) {
        this.file = file;
    }

    Path file() {
        return file;
    }

    /// A log that cannot be written is no reason to fail a start.
    void stage(String name, Duration took) {
        String line = "capsem-process: boot stage " + name + " " + took.toNanos() / 1_000 + " us\n";
        try {
            Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException ignored) {
            // The stage is also told over IPC.
        }
    }

    /// The last lines, for the message of a failed start; empty when there are none.
    String tail() {
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            long from = Math.max(0, log.length() - TAIL_BYTES_MAX);
            byte[] bytes = new byte[(int) (log.length() - from)];
            log.seek(from);
            log.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
