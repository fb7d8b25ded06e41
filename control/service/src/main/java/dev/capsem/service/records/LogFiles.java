package dev.capsem.service.records;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// The ends of log files, from the first whole line.
public final class LogFiles {
    private LogFiles() {}

    /// Empty when there is no such file.
    public static String tail(Path file, int bytesMax) {
        byte[] bytes = end(file, bytesMax);
        String text = new String(bytes, StandardCharsets.UTF_8);
        return bytes.length < bytesMax ? text : text.substring(text.indexOf('\n') + 1);
    }

    /// The whole file, or its end when it is longer; empty when there is none.
    public static byte[] end(Path file, int bytesMax) {
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            long from = Math.max(0, log.length() - bytesMax);
            log.seek(from);
            byte[] bytes = new byte[(int) Math.min(bytesMax, log.length() - from)];
            log.readFully(bytes);
            return bytes;
        } catch (IOException e) {
            return new byte[0];
        }
    }
}
