package dev.capsem.network.dns;

import java.util.Arrays;

/// Grows as it is written to.
final class WireWriter {
    private byte[] buffer;
    private int size;

    WireWriter(int expected) {
        this.buffer = new byte[Math.max(32, expected)];
    }

    int size() {
        return size;
    }

    void u8(int value) {
        room(1);
        buffer[size++] = (byte) value;
    }

    void u16(int value) {
        room(2);
        buffer[size++] = (byte) (value >> 8);
        buffer[size++] = (byte) value;
    }

    void u32(long value) {
        u16((int) (value >> 16));
        u16((int) value);
    }

    void bytes(byte[] bytes) {
        room(bytes.length);
        System.arraycopy(bytes, 0, buffer, size, bytes.length);
        size += bytes.length;
    }

    byte[] toBytes() {
        return Arrays.copyOf(buffer, size);
    }

    private void room(int count) {
        if (size + count > buffer.length) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, size + count));
        }
    }
}
