package dev.capsem.broker;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Values that nobody is shown, in all their spellings, each with what is shown instead. Safe for many threads.
public final class KnownValues {
    public static final KnownValues NONE = new KnownValues(PatternSet.of(List.of()));

    private final PatternSet patterns;

    KnownValues(PatternSet patterns) {
        this.patterns = patterns;
    }

    /// Where all values have the same stand-in.
    public static KnownValues of(List<SecretValue> values, Placeholder shown) {
        byte[] standIn = shown.text().getBytes(StandardCharsets.US_ASCII);
        List<PatternSet.Spelling> spellings = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            spellings.addAll(PatternSet.spellings(i, values.get(i).reveal(), standIn));
        }
        return new KnownValues(PatternSet.of(spellings));
    }

    public boolean isEmpty() {
        return patterns.isEmpty();
    }

    /// @return the very text if it holds none of them
    public String clean(String text) {
        if (isEmpty()) {
            return text;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        byte[] clean = clean(bytes);
        return Arrays.equals(clean, bytes) ? text : new String(clean, StandardCharsets.UTF_8);
    }

    /// The same of a text that may have been cut: the beginning of a value at its end goes as well, if it is long
    /// enough to tell.
    public String cleanBeginning(String text) {
        if (isEmpty()) {
            return text;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        byte[] clean = uncut(clean(bytes));
        return Arrays.equals(clean, bytes) ? text : new String(clean, StandardCharsets.UTF_8);
    }

    /// @return the very bytes if they hold none of them
    public byte[] clean(byte[] bytes) {
        if (isEmpty() || patterns.find(bytes, 0, bytes.length) == bytes.length) {
            return bytes;
        }
        Scrub scrub = new Scrub(patterns, false);
        byte[] passed = scrub.pass(ByteBuffer.wrap(bytes)).bytes();
        byte[] rest = scrub.rest();
        return ByteBuffer.allocate(passed.length + rest.length)
                .put(passed)
                .put(rest)
                .array();
    }

    private byte[] uncut(byte[] bytes) {
        int end = patterns.unfinished(bytes, 0, bytes.length);
        return bytes.length - end < SecretValue.BYTES_MIN ? bytes : Arrays.copyOf(bytes, end);
    }

    /// Names nothing.
    @Override
    public String toString() {
        return "KnownValues";
    }
}
