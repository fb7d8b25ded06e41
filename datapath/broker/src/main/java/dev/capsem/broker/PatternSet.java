package dev.capsem.broker;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Finds many byte strings at once in one pass (Wu and Manber, 1994): pairs of bytes that stand in no pattern let the
/// search leap almost a pattern's length, so that text without a hit costs a fraction of a nanosecond per byte.
final class PatternSet {
    /// One spelling of a value.
    ///
    /// @param owner which grant it belongs to
    record Spelling(int owner, Encoding encoding, byte[] bytes, byte[] standIn) {
        /// What is written in its place, where the length must not change: cut, or filled up.
        byte[] standInOfSameLength() {
            byte[] same = Arrays.copyOf(standIn, bytes.length);
            if (standIn.length < bytes.length) {
                Arrays.fill(same, standIn.length, bytes.length, (byte) '0');
            }
            return same;
        }

        /// The same in a name of DNS or of a header: it has no case, and dots wherever its sender likes.
        Spelling inNames() {
            byte[] plain = PatternSet.inNames(new String(bytes, StandardCharsets.ISO_8859_1))
                    .getBytes(StandardCharsets.ISO_8859_1);
            return new Spelling(owner, encoding, plain, standIn);
        }
    }

    static String inNames(String text) {
        return text.toLowerCase(Locale.ROOT).replace(".", "");
    }

    private static final int SHIFT_MAX = 127;

    private final List<Spelling> patterns;
    private final int shortest;
    private final int longest;
    /// By two bytes: how far the search may leap if they end its window.
    private final byte[] shifts;
    /// By two bytes that end the window of a pattern: which ones.
    private final Map<Integer, int[]> endings = new HashMap<>();
    /// By first byte: which patterns begin so.
    private final int[][] beginnings = new int[256][];

    private PatternSet(List<Spelling> patterns) {
        this.patterns = patterns;
        this.shortest =
                patterns.stream().mapToInt(one -> one.bytes().length).min().orElse(0);
        this.longest =
                patterns.stream().mapToInt(one -> one.bytes().length).max().orElse(0);
        this.shifts = patterns.isEmpty() ? new byte[0] : new byte[65_536];
        index();
    }

    /// Patterns that are spelled alike are one; the first has it.
    static PatternSet of(List<Spelling> spellings) {
        Map<String, Spelling> distinct = new LinkedHashMap<>();
        for (Spelling spelling : spellings) {
            distinct.putIfAbsent(Arrays.toString(spelling.bytes()), spelling);
        }
        return new PatternSet(List.copyOf(distinct.values()));
    }

    private void index() {
        Arrays.fill(shifts, (byte) Math.min(SHIFT_MAX, Math.max(1, shortest - 1)));
        for (int i = 0; i < patterns.size(); i++) {
            byte[] bytes = patterns.get(i).bytes();
            for (int at = 1; at < shortest; at++) {
                int pair = pair(bytes[at - 1], bytes[at]);
                shifts[pair] = (byte) Math.min(shifts[pair], shortest - 1 - at);
            }
            endings.merge(pair(bytes[shortest - 2], bytes[shortest - 1]), new int[] {i}, PatternSet::joined);
            int first = bytes[0] & 0xff;
            beginnings[first] = beginnings[first] == null ? new int[] {i} : joined(beginnings[first], new int[] {i});
        }
    }

    private static int[] joined(int[] one, int[] other) {
        int[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }

    boolean isEmpty() {
        return patterns.isEmpty();
    }

    /// Whether the text is too short to hold any of them.
    boolean isLongerThan(String text) {
        return text.length() < shortest;
    }

    Spelling pattern(int index) {
        return patterns.get(index);
    }

    /// @return where the first pattern from there begins, or `to`
    int find(byte[] text, int from, int to) {
        if (isEmpty()) {
            return to;
        }
        int at = from + shortest - 1;
        while (at < to) {
            int shift = shifts[pair(text[at - 1], text[at])];
            if (shift > 0) {
                at += shift;
            } else {
                if (longestAt(text, at - shortest + 1, to) >= 0) {
                    return at - shortest + 1;
                }
                at++;
            }
        }
        return to;
    }

    /// @return the longest pattern that stands there, or a negative number
    int longestAt(byte[] text, int start, int to) {
        if (to - start < shortest || isEmpty()) {
            return -1;
        }
        int[] candidates = endings.get(pair(text[start + shortest - 2], text[start + shortest - 1]));
        int found = -1;
        if (candidates != null) {
            for (int candidate : candidates) {
                byte[] bytes = patterns.get(candidate).bytes();
                boolean isLonger =
                        found < 0 || bytes.length > patterns.get(found).bytes().length;
                if (isLonger && bytes.length <= to - start && stands(bytes, text, start, bytes.length)) {
                    found = candidate;
                }
            }
        }
        return found;
    }

    /// @return where the longest end of the text begins that may grow into a pattern, or `to`
    int unfinished(byte[] text, int from, int to) {
        for (int at = Math.max(from, to - longest + 1); at < to; at++) {
            int[] candidates = beginnings[text[at] & 0xff];
            if (candidates == null) {
                continue;
            }
            for (int candidate : candidates) {
                byte[] bytes = patterns.get(candidate).bytes();
                if (bytes.length > to - at && stands(bytes, text, at, to - at)) {
                    return at;
                }
            }
        }
        return to;
    }

    private static boolean stands(byte[] pattern, byte[] text, int at, int length) {
        return Arrays.equals(pattern, 0, length, text, at, at + length);
    }

    private static int pair(byte first, byte second) {
        return (first & 0xff) << 8 | (second & 0xff);
    }

    /// All spellings of a value, each with its stand-in.
    static List<Spelling> spellings(int owner, byte[] value, byte[] standIn) {
        List<Spelling> all = new ArrayList<>();
        for (Encoding encoding : Encoding.values()) {
            all.add(new Spelling(owner, encoding, encoding.encode(value), encoding.encode(standIn)));
        }
        return all;
    }
}
