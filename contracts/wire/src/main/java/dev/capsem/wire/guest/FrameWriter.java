package dev.capsem.wire.guest;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Collects the body of one frame and puts the header before it.
final class FrameWriter {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(64);

    FrameWriter(int type, long id) {
        u32(0);
        u8(type);
        u32(id);
    }

    FrameWriter u8(int value) {
        return unsigned(value, 1);
    }

    FrameWriter u16(int value) {
        return unsigned(value, 2);
    }

    FrameWriter u32(long value) {
        return unsigned(value, 4);
    }

    FrameWriter i32(int value) {
        return unsigned(value & 0xFFFF_FFFFL, 4);
    }

    FrameWriter u64(long value) {
        for (int shift = 56; shift >= 0; shift -= 8) {
            bytes.write((int) (value >>> shift));
        }
        return this;
    }

    FrameWriter text(String value) {
        if (value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a string of the guest protocol has no NUL");
        }
        byte[] encoded = value.getBytes(StandardCharsets.UTF_8);
        u32(encoded.length);
        return raw(encoded);
    }

    FrameWriter texts(List<String> values) {
        u32(values.size());
        values.forEach(this::text);
        return this;
    }

    FrameWriter environment(List<EnvironmentVariable> variables) {
        u32(variables.size());
        variables.forEach(variable -> text(variable.name()).text(variable.value()));
        return this;
    }

    FrameWriter raw(byte[] value) {
        bytes.writeBytes(value);
        return this;
    }

    ByteBuffer frame() {
        ByteBuffer frame = ByteBuffer.wrap(bytes.toByteArray());
        int length = frame.remaining() - Integer.BYTES;
        if (length > GuestProtocol.FRAME_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "a frame has at most " + GuestProtocol.FRAME_LENGTH_MAX + " bytes, not " + length);
        }
        return frame.putInt(0, length);
    }

    private FrameWriter unsigned(long value, int size) {
        if (value < 0 || value >>> (8 * size) != 0) {
            throw new IllegalArgumentException(value + " does not fit into " + size + " bytes");
        }
        for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
            bytes.write((int) (value >>> shift));
        }
        return this;
    }
}
