package dev.capsem.llm.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/// A fixed set of names that is looked up by bytes, so that reading a known name makes no string.
public final class KnownNames {
    /// Stands for every name that is not in the set.
    public static final String UNKNOWN = "";

    private final byte[][] bytes;
    private final String[] names;
    private final int mask;

    public KnownNames(List<String> known) {
        int size = Integer.highestOneBit(Math.max(8, known.size() * 4 - 1)) << 1;
        this.bytes = new byte[size][];
        this.names = new String[size];
        this.mask = size - 1;
        for (String name : known) {
            add(name);
        }
    }

    private void add(String name) {
        byte[] spelled = name.getBytes(StandardCharsets.UTF_8);
        if (spelled.length == 0) {
            throw new IllegalArgumentException("a known name is not empty");
        }
        int slot = hash(spelled, 0, spelled.length) & mask;
        while (bytes[slot] != null) {
            if (Arrays.equals(bytes[slot], spelled)) {
                return;
            }
            slot = (slot + 1) & mask;
        }
        bytes[slot] = spelled;
        // Interned, so that a switch over literals compares references first.
        names[slot] = name.intern();
    }

    /// The name spelled by these bytes, or [#UNKNOWN].
    public String find(byte[] buffer, int from, int to) {
        if (from >= to) {
            return UNKNOWN;
        }
        int slot = hash(buffer, from, to) & mask;
        for (byte[] spelled = bytes[slot]; spelled != null; spelled = bytes[slot]) {
            if (spelled.length == to - from && matches(spelled, buffer, from)) {
                return names[slot];
            }
            slot = (slot + 1) & mask;
        }
        return UNKNOWN;
    }

    /// Names are short: a plain loop beats the vectorised comparison.
    private static boolean matches(byte[] spelled, byte[] buffer, int from) {
        for (int i = 0; i < spelled.length; i++) {
            if (spelled[i] != buffer[from + i]) {
                return false;
            }
        }
        return true;
    }

    /// Looks at four bytes only: the set is ours, so nobody can make it collide more than it does today.
    private static int hash(byte[] buffer, int from, int to) {
        int length = to - from;
        int hash = buffer[from] + 31 * buffer[to - 1] + 961 * buffer[from + length / 2] + 29_791 * length;
        return hash ^ (hash >>> 7) ^ buffer[from + length / 4] * 17;
    }
}
