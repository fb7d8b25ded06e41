package dev.capsem.wire.mcp;

import dev.capsem.wire.Decoded;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/// Bytes ↔ [McpFrame]. All integers are big-endian:
///
/// | Offset | Size | Field |
/// |---|---|---|
/// | 0 | 4 | length of what follows, 16 to 1 052 672 |
/// | 4 | 2 | magic `MC` |
/// | 6 | 1 | version, 1 |
/// | 7 | 1 | header length, 16 |
/// | 8 | 4 | stream id |
/// | 12 | 2 | flags: bit 0 notification, the others 0 |
/// | 14 | 2 | length of the process name, 0 to 128 |
/// | 16 | 4 | length of the payload |
/// | 20 | n | process name, UTF-8 |
/// | 20 + n | m | payload |
public final class McpFrames {
    public static final int LENGTH_BYTES = 4;
    public static final int HEADER_BYTES = 16;
    /// Header, name and payload: 1 MiB of JSON-RPC and 4 KiB for what stands around it.
    public static final int BODY_BYTES_MAX = 1_052_672;

    public static final int PAYLOAD_BYTES_MAX = BODY_BYTES_MAX - HEADER_BYTES;
    public static final int PROCESS_NAME_BYTES_MAX = 128;
    /// With these six bytes framed MCP is told from whatever else may open a connection.
    public static final int SNIFF_BYTES = 6;

    private static final short MAGIC = 0x4D43;
    private static final int VERSION = 1;
    private static final int NOTIFICATION = 1;
    /// Of the stream id within the body.
    private static final int STREAM_ID_OFFSET = 4;

    private McpFrames() {}

    /// The result of parsing a complete body.
    public sealed interface Incoming {
        record Frame(McpFrame frame) implements Incoming {}

        /// The length was right, so the next frame begins where it should; this one cannot be used.
        ///
        /// @param streamId whom to tell; absent if it was not even a request
        /// @param reason names the rule that was broken, never the payload
        record Rejected(OptionalLong streamId, String reason) implements Incoming {}
    }

    /// Whether the bytes, at least [#SNIFF_BYTES], begin a frame.
    public static boolean isFrameStart(ByteBuffer bytes) {
        int at = bytes.position();
        long length = Integer.toUnsignedLong(bytes.getInt(at));
        return length >= HEADER_BYTES && length <= BODY_BYTES_MAX && bytes.getShort(at + LENGTH_BYTES) == MAGIC;
    }

    /// Leaves the buffer as it is.
    public static Decoded<Incoming> decode(ByteBuffer received) {
        ByteBuffer bytes = received.slice();
        if (bytes.remaining() < LENGTH_BYTES) {
            return new Decoded.NeedMore<>();
        }
        long length = Integer.toUnsignedLong(bytes.getInt());
        if (length < HEADER_BYTES || length > BODY_BYTES_MAX) {
            return new Decoded.Malformed<>("a frame's length is out of bounds");
        }
        if (bytes.remaining() < length) {
            return new Decoded.NeedMore<>();
        }
        return new Decoded.Message<>(body(bytes.slice(LENGTH_BYTES, (int) length)), LENGTH_BYTES + (int) length);
    }

    /// How many bytes the frame that begins here will take in all; empty before its length is known or if it is
    /// out of bounds.
    public static OptionalLong announced(ByteBuffer received) {
        if (received.remaining() < LENGTH_BYTES) {
            return OptionalLong.empty();
        }
        long length = Integer.toUnsignedLong(received.getInt(received.position()));
        return length < HEADER_BYTES || length > BODY_BYTES_MAX
                ? OptionalLong.empty()
                : OptionalLong.of(LENGTH_BYTES + length);
    }

    public static byte[] encode(McpFrame frame) {
        byte[] name = frame.processName().getBytes(StandardCharsets.UTF_8);
        byte[] payload = frame.payload();
        int length = HEADER_BYTES + name.length + payload.length;
        return ByteBuffer.allocate(LENGTH_BYTES + length)
                .putInt(length)
                .putShort(MAGIC)
                .put((byte) VERSION)
                .put((byte) HEADER_BYTES)
                .putInt((int) frame.streamId())
                .putShort((short) (frame.isNotification() ? NOTIFICATION : 0))
                .putShort((short) name.length)
                .putInt(payload.length)
                .put(name)
                .put(payload)
                .array();
    }

    private static Incoming body(ByteBuffer body) {
        short magic = body.getShort();
        int version = Byte.toUnsignedInt(body.get());
        int headerLength = Byte.toUnsignedInt(body.get());
        long streamId = Integer.toUnsignedLong(body.getInt());
        int flags = Short.toUnsignedInt(body.getShort());
        int nameLength = Short.toUnsignedInt(body.getShort());
        long payloadLength = Integer.toUnsignedLong(body.getInt());
        if (magic != MAGIC) {
            return rejected(body, "the magic is wrong");
        }
        if (version != VERSION) {
            return rejected(body, "the version is unknown");
        }
        if (headerLength != HEADER_BYTES) {
            return rejected(body, "the header length is wrong");
        }
        if ((flags & ~NOTIFICATION) != 0) {
            return rejected(body, "a reserved flag is set");
        }
        if ((flags == NOTIFICATION) != (streamId == 0)) {
            return rejected(body, "stream id and notification flag contradict one another");
        }
        if (nameLength > PROCESS_NAME_BYTES_MAX) {
            return rejected(body, "the process name is too long");
        }
        if (nameLength + payloadLength != body.remaining()) {
            return rejected(body, "the lengths do not add up");
        }
        String name;
        try {
            name = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(body.slice(body.position(), nameLength))
                    .toString();
        } catch (CharacterCodingException e) {
            return rejected(body, "the process name is not UTF-8");
        }
        byte[] payload = new byte[(int) payloadLength];
        body.get(HEADER_BYTES + nameLength, payload);
        return new Incoming.Frame(new McpFrame(streamId, name, payload));
    }

    private static Incoming.Rejected rejected(ByteBuffer body, String reason) {
        long streamId = Integer.toUnsignedLong(body.getInt(STREAM_ID_OFFSET));
        return new Incoming.Rejected(streamId == 0 ? OptionalLong.empty() : OptionalLong.of(streamId), reason);
    }
}
