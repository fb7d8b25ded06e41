package dev.capsem.broker;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/// Looks for stand-ins in one stream of bytes, as they are and behind the escapes of URLs and of JSON, across all
/// borders of its pieces. Remembers whose it found first.
public final class LeakScan {
    private static final int ESCAPE_CHARS_MAX = 6;

    private final PatternSet patterns;
    private final Scrub plain;
    private final Scrub unescaped;
    private final StringBuilder escape = new StringBuilder();
    private boolean hasEscapes;
    private int found = -1;

    LeakScan(PatternSet patterns) {
        this.patterns = patterns;
        this.plain = new Scrub(patterns, true);
        this.unescaped = new Scrub(patterns, true);
    }

    /// The buffer's position stays.
    public void sees(ByteBuffer piece) {
        if (patterns.isEmpty() || found >= 0) {
            return;
        }
        byte[] bytes = new byte[piece.remaining()];
        piece.get(piece.position(), bytes);
        if (!hasEscapes && hasEscape(bytes)) {
            // Up to here both were the same text.
            hasEscapes = true;
            unescaped.goOnAs(plain);
        }
        look(plain, bytes, bytes.length);
        if (hasEscapes) {
            byte[] other = new byte[bytes.length + ESCAPE_CHARS_MAX];
            look(unescaped, other, unescape(bytes, other));
        }
    }

    /// @param text of header or URL
    LeakScan sees(String text) {
        sees(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        return this;
    }

    /// Whose stand-in a whole text holds, by its place among the grants. Quicker than a stream of one piece.
    static Optional<Integer> in(String text, PatternSet patterns) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (hasEscape(bytes)) {
            return new LeakScan(patterns).sees(text).found();
        }
        int at = patterns.find(bytes, 0, bytes.length);
        return at == bytes.length
                ? Optional.empty()
                : Optional.of(patterns.pattern(patterns.longestAt(bytes, at, bytes.length))
                        .owner());
    }

    private void look(Scrub in, byte[] bytes, int length) {
        if (found < 0) {
            in.pass(ByteBuffer.wrap(bytes, 0, length));
            found = in.lastOwner();
        }
    }

    /// Whose stand-in was seen, by its place among the grants.
    Optional<Integer> found() {
        return found < 0 ? Optional.empty() : Optional.of(found);
    }

    public boolean hasFound() {
        return found >= 0;
    }

    private static boolean hasEscape(byte[] bytes) {
        for (byte b : bytes) {
            if (b == '%' || b == '\\') {
                return true;
            }
        }
        return false;
    }

    /// @return how many bytes were written
    private int unescape(byte[] bytes, byte[] out) {
        int to = 0;
        for (byte b : bytes) {
            char c = (char) (b & 0xff);
            if (escape.isEmpty() && c != '%' && c != '\\') {
                out[to++] = b;
                continue;
            }
            escape.append(c);
            while (!escape.isEmpty() && !isUnfinished()) {
                to = write(out, to);
            }
        }
        return to;
    }

    private boolean isUnfinished() {
        int length = escape.length();
        return switch (escape.charAt(0)) {
            case '%' -> length < 3 && areDigits(1);
            case '\\' -> length == 1 || (escape.charAt(1) == 'u' && length < ESCAPE_CHARS_MAX && areDigits(2));
            default -> false;
        };
    }

    /// Writes what was gathered as one character if it is an escape, else its first one: the next may begin an escape.
    private int write(byte[] out, int at) {
        char first = escape.charAt(0);
        int length = escape.length();
        if (first == '%' && length == 3 && areDigits(1)) {
            out[at] = (byte) HexFormat.fromHexDigits(escape, 1, length);
            escape.setLength(0);
        } else if (first == '\\' && length == ESCAPE_CHARS_MAX && areDigits(2)) {
            out[at] = (byte) HexFormat.fromHexDigits(escape, 2, length);
            escape.setLength(0);
        } else if (first == '\\' && length == 2) {
            out[at] = (byte) escape.charAt(1);
            escape.setLength(0);
        } else {
            out[at] = (byte) first;
            escape.deleteCharAt(0);
        }
        return at + 1;
    }

    private boolean areDigits(int from) {
        return escape.length() <= from || escape.chars().skip(from).allMatch(HexFormat::isHexDigit);
    }
}
