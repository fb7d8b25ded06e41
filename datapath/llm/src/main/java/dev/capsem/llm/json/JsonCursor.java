package dev.capsem.llm.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Walks over one JSON text (RFC 8259), strictly. Each value is either entered, read or skipped, in order:
/// ```java
/// if (in.enterObject()) {
///     while (in.nextMember()) {
///         switch (in.name()) {
///             case "id" -> id = in.string();
///             default -> in.skip();
///         }
///     }
/// }
/// ```
/// A value of another type than asked for is skipped and counts as absent. After the first error every loop ends and
/// [#isMalformed] stays true; what was read before it stands. Not for several threads; may be used again.
public final class JsonCursor {
    /// Deep enough for any schema of a tool, shallow enough to walk by recursion. Deeper is malformed.
    public static final int DEPTH_MAX = 200;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long HIGHS = 0x8080_8080_8080_8080L;
    private static final byte[] EMPTY = {};

    /// Kept for the next string; what a longer one needs is given back.
    private static final int SCRATCH_BYTES = 16 * 1024;

    private final KnownNames names;
    private byte[] buffer = EMPTY;
    private int at;
    private int end;
    private int depth;
    private boolean isFirst;
    private boolean malformed;
    private String name = KnownNames.UNKNOWN;

    public JsonCursor(KnownNames names) {
        this.names = names;
    }

    /// Starts over at the first value of this text. The bytes are not copied.
    public JsonCursor reset(byte[] text, int from, int to) {
        buffer = text;
        at = from;
        end = to;
        depth = 0;
        isFirst = false;
        malformed = false;
        name = KnownNames.UNKNOWN;
        return this;
    }

    public boolean isMalformed() {
        return malformed;
    }

    /// Whether nothing but space is left; call it when the outermost value was read.
    public boolean isAtEnd() {
        return !malformed && peekByte() < 0;
    }

    /// If an object comes next, steps into it; else skips the value.
    public boolean enterObject() {
        return enter('{');
    }

    /// If an array comes next, steps into it; else skips the value.
    public boolean enterArray() {
        return enter('[');
    }

    private boolean enter(int opening) {
        if (peekByte() != opening) {
            skip();
            return false;
        }
        if (++depth > DEPTH_MAX) {
            return fail();
        }
        at++;
        isFirst = true;
        return true;
    }

    /// Steps to the next member of the object, or out of the object.
    public boolean nextMember() {
        if (!nextItem('}')) {
            return false;
        }
        if (peekByte() != '"') {
            return fail();
        }
        int start = at + 1;
        int close = endOfString(start);
        if (close < 0) {
            return false;
        }
        name = isEscaped ? escapedName(start, close) : names.find(buffer, start, close);
        at = close + 1;
        if (peekByte() != ':') {
            return fail();
        }
        at++;
        return true;
    }

    /// Steps to the next element of the array, or out of the array.
    public boolean nextElement() {
        return nextItem(']');
    }

    private boolean nextItem(int closing) {
        if (malformed) {
            return false;
        }
        int next = peekByte();
        if (next == closing) {
            if (depth == 0) {
                return fail();
            }
            depth--;
            at++;
            isFirst = false;
            return false;
        }
        if (isFirst) {
            isFirst = false;
            return next >= 0 || fail();
        }
        if (next != ',') {
            return fail();
        }
        at++;
        int following = peekByte();
        return (following >= 0 && following != closing) || fail();
    }

    /// The member's name if it is a known one, else [KnownNames#UNKNOWN].
    public String name() {
        return name;
    }

    public boolean isString() {
        return peekByte() == '"';
    }

    public boolean isObject() {
        return peekByte() == '{';
    }

    public boolean isArray() {
        return peekByte() == '[';
    }

    public boolean isNull() {
        return peekByte() == 'n';
    }

    /// The text of the string that comes next.
    public @Nullable String string() {
        if (peekByte() != '"') {
            skip();
            return null;
        }
        int start = at + 1;
        int close = endOfString(start);
        if (close < 0) {
            return null;
        }
        at = close + 1;
        return isEscaped ? unescape(start, close) : new String(buffer, start, close - start, StandardCharsets.UTF_8);
    }

    /// How the string that comes next begins, as it is spelled but for `\\/`. The rest is passed over.
    public @Nullable String beginning(int bytesMax) {
        if (peekByte() != '"') {
            skip();
            return null;
        }
        int start = at + 1;
        int close = endOfString(start);
        if (close < 0) {
            return null;
        }
        at = close + 1;
        return new String(buffer, start, Math.min(bytesMax, close - start), StandardCharsets.UTF_8).replace("\\/", "/");
    }

    /// The string that comes next if it is a known name; [KnownNames#UNKNOWN] if it is another string or none.
    public String word() {
        if (peekByte() != '"') {
            skip();
            return KnownNames.UNKNOWN;
        }
        int start = at + 1;
        int close = endOfString(start);
        if (close < 0) {
            return KnownNames.UNKNOWN;
        }
        at = close + 1;
        return isEscaped ? escapedName(start, close) : names.find(buffer, start, close);
    }

    /// The number that comes next, without its fraction.
    public long integer(long absent) {
        int next = peekByte();
        if (next != '-' && (next < '0' || next > '9')) {
            skip();
            return absent;
        }
        int start = at;
        if (!skipNumber()) {
            return absent;
        }
        return number(start, at, absent);
    }

    public boolean truth() {
        boolean isTrue = peekByte() == 't';
        skip();
        return isTrue && !malformed;
    }

    /// The value that comes next as it is spelled.
    public @Nullable String raw() {
        peekByte();
        int start = at;
        skip();
        return malformed ? null : new String(buffer, start, at - start, StandardCharsets.UTF_8);
    }

    public void skip() {
        skipValue(depth);
    }

    // ── values

    private boolean skipValue(int level) {
        return switch (peekByte()) {
            case '"' -> skipString();
            case '{' -> level < DEPTH_MAX ? skipObject(level + 1) : fail();
            case '[' -> level < DEPTH_MAX ? skipArray(level + 1) : fail();
            case 't' -> skipLiteral("true");
            case 'f' -> skipLiteral("false");
            case 'n' -> skipLiteral("null");
            default -> skipNumber();
        };
    }

    private boolean skipString() {
        int close = endOfString(at + 1);
        if (close < 0) {
            return false;
        }
        at = close + 1;
        return true;
    }

    private boolean skipObject(int level) {
        at++;
        if (peekByte() == '}') {
            at++;
            return true;
        }
        while (true) {
            if (peekByte() != '"') {
                return fail();
            }
            if (!skipString()) {
                return false;
            }
            if (peekByte() != ':') {
                return fail();
            }
            at++;
            if (!skipValue(level)) {
                return false;
            }
            int next = peekByte();
            at++;
            if (next == '}') {
                return true;
            }
            if (next != ',') {
                return fail();
            }
        }
    }

    private boolean skipArray(int level) {
        at++;
        if (peekByte() == ']') {
            at++;
            return true;
        }
        while (true) {
            if (!skipValue(level)) {
                return false;
            }
            int next = peekByte();
            at++;
            if (next == ']') {
                return true;
            }
            if (next != ',') {
                return fail();
            }
        }
    }

    private boolean skipLiteral(String literal) {
        if (end - at < literal.length()) {
            return fail();
        }
        for (int i = 0; i < literal.length(); i++) {
            if (buffer[at + i] != literal.charAt(i)) {
                return fail();
            }
        }
        at += literal.length();
        return true;
    }

    private boolean skipNumber() {
        if (malformed) {
            return false;
        }
        int i = at;
        if (i < end && buffer[i] == '-') {
            i++;
        }
        int digits = skipDigits(i);
        if (digits == i || (buffer[i] == '0' && digits > i + 1)) {
            return fail();
        }
        i = digits;
        if (i < end && buffer[i] == '.') {
            digits = skipDigits(i + 1);
            if (digits == i + 1) {
                return fail();
            }
            i = digits;
        }
        if (i < end && (buffer[i] == 'e' || buffer[i] == 'E')) {
            i++;
            if (i < end && (buffer[i] == '+' || buffer[i] == '-')) {
                i++;
            }
            digits = skipDigits(i);
            if (digits == i) {
                return fail();
            }
            i = digits;
        }
        at = i;
        return true;
    }

    private int skipDigits(int from) {
        int i = from;
        while (i < end && buffer[i] >= '0' && buffer[i] <= '9') {
            i++;
        }
        return i;
    }

    /// Eighteen digits always fit.
    private static final int DIGITS_MAX = 18;

    private long number(int start, int to, long absent) {
        long value = 0;
        int i = buffer[start] == '-' ? start + 1 : start;
        int first = i;
        while (i < to && buffer[i] >= '0' && buffer[i] <= '9') {
            if (i - first >= DIGITS_MAX) {
                return absent;
            }
            value = value * 10 + (buffer[i] - '0');
            i++;
        }
        if (i < to && buffer[i] != '.') {
            // An exponent: nobody counts tokens so.
            return absent;
        }
        return buffer[start] == '-' ? -value : value;
    }

    // ── strings

    /// Whether the string found last has a backslash.
    private boolean isEscaped;

    /// The place of the closing quote, or -1 if the string is not one.
    private int endOfString(int start) {
        isEscaped = false;
        int i = start;
        while (true) {
            i = plainUntil(i);
            if (i >= end) {
                fail();
                return -1;
            }
            byte found = buffer[i];
            if (found == '"') {
                return i;
            }
            if (found != '\\' || !isEscape(i)) {
                fail();
                return -1;
            }
            isEscaped = true;
            i += buffer[i + 1] == 'u' ? 6 : 2;
        }
    }

    /// The first quote, backslash or control character from here on: eight bytes at a time.
    private int plainUntil(int from) {
        byte[] bytes = buffer;
        int i = from;
        for (; i <= end - Long.BYTES; i += Long.BYTES) {
            long eight = (long) LONGS.get(bytes, i);
            long quotes = eight ^ (ONES * '"');
            long slashes = eight ^ (ONES * '\\');
            long found = ((quotes - ONES) & ~quotes) | ((slashes - ONES) & ~slashes) | ((eight - ONES * ' ') & ~eight);
            found &= HIGHS;
            if (found != 0) {
                // The lowest mark is exact; a borrow can only make marks above it wrong.
                return i + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        while (i < end && bytes[i] != '"' && bytes[i] != '\\' && (bytes[i] < 0 || bytes[i] >= ' ')) {
            i++;
        }
        return i;
    }

    private boolean isEscape(int slash) {
        if (slash + 1 >= end) {
            return false;
        }
        return switch (buffer[slash + 1]) {
            case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> true;
            case 'u' -> slash + 5 < end && hex(slash + 2) >= 0;
            default -> false;
        };
    }

    /// Four hex digits, or -1.
    private int hex(int from) {
        int value = 0;
        for (int i = from; i < from + 4; i++) {
            int digit = Character.digit(buffer[i], 16);
            if (digit < 0) {
                return -1;
            }
            value = value << 4 | digit;
        }
        return value;
    }

    /// Where strings are put together; never longer than what it was made for.
    private byte[] scratch = EMPTY;

    private String unescape(int start, int close) {
        if (scratch.length < close - start) {
            scratch = new byte[Math.max(SCRATCH_BYTES, close - start)];
        }
        byte[] out = scratch;
        int length = 0;
        int i = start;
        while (true) {
            int stop = Math.min(close, plainUntil(i));
            System.arraycopy(buffer, i, out, length, stop - i);
            length += stop - i;
            if (stop == close) {
                break;
            }
            byte escaped = buffer[stop + 1];
            i = stop + 2;
            if (escaped != 'u') {
                out[length++] = plain(escaped);
                continue;
            }
            int point = hex(i);
            i += 4;
            if (Character.isSurrogate((char) point)) {
                boolean isPair = Character.isHighSurrogate((char) point)
                        && i + 6 <= close
                        && buffer[i] == '\\'
                        && buffer[i + 1] == 'u'
                        && Character.isLowSurrogate((char) hex(i + 2));
                if (!isPair) {
                    return unescapeHalves(start, close);
                }
                point = Character.toCodePoint((char) point, (char) hex(i + 2));
                i += 6;
            }
            length = encode(point, out, length);
        }
        String text = new String(out, 0, length, StandardCharsets.UTF_8);
        if (out.length > SCRATCH_BYTES) {
            scratch = EMPTY;
        }
        return text;
    }

    private static byte plain(byte escaped) {
        return switch (escaped) {
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            default -> escaped;
        };
    }

    /// In UTF-8, which is never longer than the escape.
    private static int encode(int point, byte[] out, int at) {
        if (point < 0x80) {
            out[at] = (byte) point;
            return at + 1;
        }
        byte[] encoded = Character.toString(point).getBytes(StandardCharsets.UTF_8);
        System.arraycopy(encoded, 0, out, at, encoded.length);
        return at + encoded.length;
    }

    /// Providers cut text wherever they like: half of a surrogate pair may stand alone, and its other half follows in
    /// the next piece. UTF-8 has no form for that.
    private String unescapeHalves(int start, int close) {
        StringBuilder out = new StringBuilder(close - start);
        int i = start;
        while (i < close) {
            int stop = Math.min(close, plainUntil(i));
            out.append(new String(buffer, i, stop - i, StandardCharsets.UTF_8));
            i = stop;
            if (i < close) {
                boolean isUnicode = buffer[i + 1] == 'u';
                out.append(isUnicode ? (char) hex(i + 2) : (char) plain(buffer[i + 1]));
                i += isUnicode ? 6 : 2;
            }
        }
        return out.toString();
    }

    /// A name may be spelled with escapes to hide from us; the receiver would read it all the same.
    private String escapedName(int start, int close) {
        byte[] spelled = unescape(start, close).getBytes(StandardCharsets.UTF_8);
        return names.find(spelled, 0, spelled.length);
    }

    // ── bytes

    /// The next byte that is not space, not consumed; -1 at the end or after an error.
    private int peekByte() {
        int i = at;
        if (i < end) {
            byte next = buffer[i];
            if (next > ' ') {
                return next;
            }
        }
        return peekPastSpace();
    }

    private int peekPastSpace() {
        int i = at;
        while (i < end) {
            byte next = buffer[i];
            if (next != ' ' && next != '\n' && next != '\r' && next != '\t') {
                at = i;
                return next & 0xFF;
            }
            i++;
        }
        at = i;
        return -1;
    }

    /// Leaves nothing to read.
    private boolean fail() {
        malformed = true;
        at = end;
        return false;
    }
}
