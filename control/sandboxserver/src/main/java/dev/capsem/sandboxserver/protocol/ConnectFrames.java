package dev.capsem.sandboxserver.protocol;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tools.jackson.databind.JsonNode;

/// Messages of a Connect stream: one flag byte, four bytes of length, big-endian, and JSON.
public final class ConnectFrames {
    private static final int HEAD = 5;
    private static final byte COMPRESSED = 1;
    private static final byte END = 2;

    private ConnectFrames() {}

    /// Throws JsonShapeException for what is no sequence of frames. A frame with the end flag is not among
    /// the messages.
    public static List<JsonNode> read(byte[] body) {
        return read(ByteBuffer.wrap(body));
    }

    public static List<JsonNode> read(ByteBuffer body) {
        List<JsonNode> messages = new ArrayList<>();
        while (body.hasRemaining()) {
            if (body.remaining() < HEAD) {
                throw new JsonShapeException("the body ends within the head of a frame");
            }
            byte flags = body.get();
            int length = body.getInt();
            if ((flags & COMPRESSED) != 0) {
                throw new JsonShapeException("compressed frames are not taken");
            }
            if (length < 0 || length > body.remaining()) {
                throw new JsonShapeException("the body ends within a frame");
            }
            byte[] json = new byte[length];
            body.get(json);
            if ((flags & END) != 0) {
                return messages;
            }
            messages.add(Json.parse(json));
        }
        return messages;
    }

    public static byte[] message(JsonNode json) {
        return frame((byte) 0, json);
    }

    public static byte[] end(JsonNode json) {
        return frame(END, json);
    }

    private static byte[] frame(byte flags, JsonNode json) {
        byte[] bytes = Json.bytes(json);
        byte[] frame = Arrays.copyOf(
                ByteBuffer.allocate(HEAD).put(flags).putInt(bytes.length).array(), HEAD + bytes.length);
        System.arraycopy(bytes, 0, frame, HEAD, bytes.length);
        return frame;
    }
}
