package dev.capsem.wire.guest;

/// One command of one sandbox, chosen by the host; unsigned 32 bits on the wire.
public record ExecId(long value) {
    public static final long MAX = 0xFFFF_FFFFL;

    public ExecId {
        if (value < 0 || value > MAX) {
            throw new IllegalArgumentException("an exec id has 32 bits, not " + value);
        }
    }

    @Override
    public String toString() {
        return Long.toString(value);
    }
}
