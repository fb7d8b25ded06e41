package dev.capsem.cli.screen;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// Asks for something that must not be seen.
public final class HiddenPrompt {
    private static final int UTF8_BYTES_PER_CHAR_MAX = 3;

    private HiddenPrompt() {}

    /// The typed text, in UTF-8; empty without a terminal. The caller clears it.
    public static byte[] ask(String question) {
        Optional<char[]> typed = Optional.ofNullable(System.console())
                .flatMap(console -> Optional.ofNullable(console.readPassword("%s", question)));
        return typed.map(HiddenPrompt::encodeAndClear).orElse(new byte[0]);
    }

    private static byte[] encodeAndClear(char[] typed) {
        ByteBuffer encoded = ByteBuffer.allocate(typed.length * UTF8_BYTES_PER_CHAR_MAX);
        StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(typed), encoded, true);
        byte[] value = Arrays.copyOf(encoded.array(), encoded.position());
        Arrays.fill(typed, '\0');
        Arrays.fill(encoded.array(), (byte) 0);
        return value;
    }
}
