package dev.capsem.wire.guest;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// Reads the body of one complete frame. Every length comes from the other side and is checked against what is there.
final class FrameReader {
    /// The frame breaks a rule of the protocol; does not leave this package.
    static final class BadFrame extends Exception {
        private static final long serialVersionUID = 1L;

        BadFrame(String reason) {
            super(reason, null, false, false);
        }

        String reason() {
            return String.valueOf(getMessage());
        }
    }

    private final ByteBuffer body;

    FrameReader(ByteBuffer body) {
        this.body = body;
    }

    int u8() throws BadFrame {
        require(1);
        return Byte.toUnsignedInt(body.get());
    }

    int u16() throws BadFrame {
        require(2);
        return Short.toUnsignedInt(body.getShort());
    }

    long u32() throws BadFrame {
        require(4);
        return Integer.toUnsignedLong(body.getInt());
    }

    int i32() throws BadFrame {
        require(4);
        return body.getInt();
    }

    /// Values above 2^63 are refused: none of our counters gets there, and Java would read them as negative.
    long u64() throws BadFrame {
        require(8);
        long value = body.getLong();
        if (value < 0) {
            throw new BadFrame("a 64-bit number is out of range");
        }
        return value;
    }

    String text() throws BadFrame {
        long length = u32();
        require(length);
        ByteBuffer encoded = body.slice(body.position(), (int) length);
        body.position(body.position() + (int) length);
        String text = utf8(encoded);
        if (text.indexOf('\0') >= 0) {
            throw new BadFrame("a string contains NUL");
        }
        return text;
    }

    List<String> texts() throws BadFrame {
        int count = count(Integer.BYTES);
        List<String> texts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            texts.add(text());
        }
        return texts;
    }

    List<EnvironmentVariable> environment() throws BadFrame {
        int count = count(2 * Integer.BYTES);
        List<EnvironmentVariable> variables = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            String name = text();
            variables.add(new EnvironmentVariable(name, text()));
        }
        return variables;
    }

    List<GuestMessage.Stage> stages() throws BadFrame {
        int count = count(2 * Integer.BYTES);
        List<GuestMessage.Stage> stages = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            String name = text();
            stages.add(new GuestMessage.Stage(name, u32()));
        }
        return stages;
    }

    <T> T oneOf(T[] values, Function<T, Integer> code) throws BadFrame {
        int wanted = u8();
        for (T value : values) {
            if (code.apply(value) == wanted) {
                return value;
            }
        }
        throw new BadFrame("an enumerated value is unknown");
    }

    byte[] rest() {
        byte[] bytes = new byte[body.remaining()];
        body.get(bytes);
        return bytes;
    }

    void end() throws BadFrame {
        if (body.hasRemaining()) {
            throw new BadFrame("bytes are left over in a frame");
        }
    }

    /// A count is believed only as far as the frame could hold that many items, so that it cannot reserve memory.
    private int count(int itemBytesMin) throws BadFrame {
        long count = u32();
        if (count * itemBytesMin > body.remaining()) {
            throw new BadFrame("a list is longer than its frame");
        }
        return (int) count;
    }

    private void require(long bytes) throws BadFrame {
        if (body.remaining() < bytes) {
            throw new BadFrame("bytes are missing in a frame");
        }
    }

    private static String utf8(ByteBuffer encoded) throws BadFrame {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(encoded)
                    .toString();
        } catch (CharacterCodingException e) {
            throw new BadFrame("a string is not UTF-8");
        }
    }
}
