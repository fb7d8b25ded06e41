package dev.capsem.sandbox.workspace.diff;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.Deflater;

/// Two contents → the part of a patch that `git apply` takes for files that are no text: both of them whole, so that
/// the patch can be taken back too. Pure.
public final class BinaryPatch {
    private static final String DIGITS =
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    private static final int LINE_BYTES = 52;

    private BinaryPatch() {}

    public static String of(byte[] before, byte[] after) {
        return "GIT binary patch\n" + literal(after) + literal(before);
    }

    private static String literal(byte[] content) {
        byte[] packed = deflated(content);
        var text = new StringBuilder("literal ").append(content.length).append('\n');
        for (int at = 0; at < packed.length; at += LINE_BYTES) {
            int length = Math.min(LINE_BYTES, packed.length - at);
            text.append((char) (length <= 26 ? 'A' + length - 1 : 'a' + length - 27));
            for (int i = 0; i < length; i += 4) {
                append(text, packed, at + i, Math.min(4, length - i));
            }
            text.append('\n');
        }
        return text.append('\n').toString();
    }

    /// Four bytes as five digits, most significant first.
    private static void append(StringBuilder text, byte[] bytes, int at, int length) {
        long value = 0;
        for (int i = 0; i < 4; i++) {
            value = (value << 8) | (i < length ? bytes[at + i] & 0xff : 0);
        }
        byte[] digits = new byte[5];
        for (int i = 4; i >= 0; i--) {
            digits[i] = (byte) DIGITS.charAt((int) (value % 85));
            value /= 85;
        }
        text.append(new String(digits, StandardCharsets.US_ASCII));
    }

    private static byte[] deflated(byte[] content) {
        try (var deflater = new Deflater()) {
            deflater.setInput(content);
            deflater.finish();
            var out = new ByteArrayOutputStream();
            byte[] chunk = new byte[8192];
            while (!deflater.finished()) {
                out.write(chunk, 0, deflater.deflate(chunk));
            }
            return out.toByteArray();
        }
    }
}
