package dev.capsem.exchange.command;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// The beginning of a stream, for history.
final class OutputPreview {
    static final int BYTES_MAX = 4_096;

    private byte[] bytes = new byte[0];

    void add(byte[] data) {
        int wanted = Math.min(BYTES_MAX - bytes.length, data.length);
        if (wanted <= 0) {
            return;
        }
        int before = bytes.length;
        bytes = Arrays.copyOf(bytes, before + wanted);
        System.arraycopy(data, 0, bytes, before, wanted);
    }

    /// Empty when nothing came. Bytes that are not UTF-8 are replaced; a character cut at the end is left out.
    Optional<String> text() {
        if (bytes.length == 0) {
            return Optional.empty();
        }
        CharBuffer text = CharBuffer.allocate(bytes.length);
        StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE)
                .decode(ByteBuffer.wrap(bytes), text, false);
        return Optional.of(text.flip().toString());
    }
}
