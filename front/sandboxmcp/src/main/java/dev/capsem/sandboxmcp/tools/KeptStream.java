package dev.capsem.sandboxmcp.tools;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/// The beginning of a stream of output.
final class KeptStream {
    static final int BYTES_MAX = 1_048_576;
    static final String MARKER = "\n[exec output truncated at 1 MiB]";

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private boolean isCut;

    void add(byte[] data) {
        int kept = Math.min(data.length, BYTES_MAX - bytes.size());
        bytes.write(data, 0, kept);
        isCut |= kept < data.length;
    }

    String text() {
        String text = bytes.toString(StandardCharsets.UTF_8);
        return isCut ? text + MARKER : text;
    }
}
