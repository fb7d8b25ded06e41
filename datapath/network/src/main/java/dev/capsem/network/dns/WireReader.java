package dev.capsem.network.dns;

import java.util.Arrays;

/// A place in a DNS message. Reading past its end is [MalformedMessageException].
final class WireReader {
    private final byte[] message;
    private final int end;
    private int position;

    WireReader(byte[] message) {
        this(message, 0, message.length);
    }

    private WireReader(byte[] message, int position, int end) {
        this.message = message;
        this.position = position;
        this.end = end;
    }

    /// The same message from another offset.
    WireReader at(int offset) {
        return new WireReader(message, offset, message.length);
    }

    int position() {
        return position;
    }

    int remaining() {
        return end - position;
    }

    int u8() {
        need(1);
        return Byte.toUnsignedInt(message[position++]);
    }

    int u16() {
        return u8() << 8 | u8();
    }

    long u32() {
        return (long) u16() << 16 | u16();
    }

    byte[] bytes(int count) {
        need(count);
        byte[] bytes = Arrays.copyOfRange(message, position, position + count);
        position += count;
        return bytes;
    }

    void skip(int count) {
        need(count);
        position += count;
    }

    byte[] between(int from, int to) {
        return Arrays.copyOfRange(message, from, to);
    }

    private void need(int count) {
        if (count > end - position) {
            throw new MalformedMessageException("the message ends too early");
        }
    }
}
