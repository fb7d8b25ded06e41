package dev.capsem.llm.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/// A fixed set of names that is looked up by bytes, so that reading a known name makes no string. Names are compared
/// by their first and last eight bytes at once: this is where a tap would spend most of its time.
public final class KnownNames {
    /// Stands for every name that is not in the set.
    public static final String UNKNOWN = "";

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /// Spreads the bits of a product over its upper half.
    private static final long MIXER = 0x9E37_79B9_7F4A_7C15L;

    /// Two words for each slot, the first and the last eight bytes of its name; zeros where there is none.
    private final long[] words;

    private final byte[][] spellings;
    private final String[] names;
    private final int mask;

    public KnownNames(List<String> known) {
        // At most two thirds full, and small enough to stay in the processor's first cache.
        int size = Integer.highestOneBit(Math.max(8, known.size() * 3 / 2)) << 1;
        this.words = new long[2 * size];
        this.spellings = new byte[size][];
        this.names = new String[size];
        this.mask = size - 1;
        for (String name : known) {
            add(name);
        }
    }

    private void add(String name) {
        byte[] spelled = name.getBytes(StandardCharsets.UTF_8);
        if (spelled.length == 0 || spelled[0] == 0) {
            throw new IllegalArgumentException("a known name is not empty");
        }
        long first = first(spelled, 0, spelled.length);
        long last = last(spelled, spelled.length, first, spelled.length);
        int slot = slot(first, last);
        while (words[2 * slot] != 0) {
            if (Arrays.equals(spellings[slot], spelled)) {
                return;
            }
            slot = (slot + 1) & mask;
        }
        words[2 * slot] = first;
        words[2 * slot + 1] = last;
        spellings[slot] = spelled;
        // Interned, so that a switch over literals compares references first.
        names[slot] = name.intern();
    }

    /// The name spelled by these bytes, or [#UNKNOWN].
    public String find(byte[] buffer, int from, int to) {
        int length = to - from;
        if (length <= 0) {
            return UNKNOWN;
        }
        long first = first(buffer, from, length);
        long last = last(buffer, to, first, length);
        int slot = slot(first, last);
        for (long word = words[2 * slot]; word != 0; word = words[2 * slot]) {
            if (word == first && words[2 * slot + 1] == last && isSame(spellings[slot], buffer, from, length)) {
                return names[slot];
            }
            slot = (slot + 1) & mask;
        }
        return UNKNOWN;
    }

    /// The bytes between the first and the last eight, which are known to be the same.
    private static boolean isSame(byte[] spelled, byte[] buffer, int from, int length) {
        if (spelled.length != length) {
            return false;
        }
        for (int i = Long.BYTES; i < length - Long.BYTES; i += Long.BYTES) {
            if ((long) LONGS.get(spelled, Math.min(i, length - Long.BYTES))
                    != (long) LONGS.get(buffer, from + Math.min(i, length - Long.BYTES))) {
                return false;
            }
        }
        return true;
    }

    private int slot(long first, long last) {
        return (int) (((first ^ Long.rotateLeft(last, 29)) * MIXER) >>> 40) & mask;
    }

    /// The first eight bytes, or all of them if they are fewer.
    private static long first(byte[] buffer, int from, int length) {
        if (length >= Long.BYTES) {
            return (long) LONGS.get(buffer, from);
        }
        if (from + Long.BYTES <= buffer.length) {
            return (long) LONGS.get(buffer, from) & (-1L >>> (Long.SIZE - length * Byte.SIZE));
        }
        long word = 0;
        for (int i = length - 1; i >= 0; i--) {
            word = (word << Byte.SIZE) | (buffer[from + i] & 0xFF);
        }
        return word;
    }

    private static long last(byte[] buffer, int to, long first, int length) {
        return length > Long.BYTES ? (long) LONGS.get(buffer, to - Long.BYTES) : first;
    }
}
