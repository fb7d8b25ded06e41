package dev.capsem.wire.ipc;

import dev.capsem.wire.Decoded;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.function.Function;
import tools.jackson.databind.node.ObjectNode;

/// Frames between capsem-service and capsem-process: u32 big-endian length, then one JSON object with a `type` member.
public final class IpcProtocol {
    public static final int VERSION = 1;
    /// Holds the largest exec request (a full guest frame) with base64 overhead to spare.
    public static final int FRAME_BYTES_MAX = 4 * 1024 * 1024;
    /// Raw bytes of one Input or Output message.
    public static final int DATA_BYTES_MAX = 65_536;
    /// The one name under which every lost IPC message or connection is logged, so that triage finds them all.
    public static final String DROPPED_EVENT = "ipc.dropped";

    private static final String SCHEMA_HASH = sha256(IpcSchema.TEXT);

    private IpcProtocol() {}

    /// Over the names of all messages and their fields: both sides compare it in their Hello.
    public static String schemaHash() {
        return SCHEMA_HASH;
    }

    /// Requires: a message within [#FRAME_BYTES_MAX]; otherwise IllegalArgumentException.
    public static ByteBuffer encode(ServiceMessage message) {
        return frame(ServiceMessageJson.write(message));
    }

    /// Requires: a message within [#FRAME_BYTES_MAX]; otherwise IllegalArgumentException.
    public static ByteBuffer encode(ProcessMessage message) {
        return frame(ProcessMessageJson.write(message));
    }

    /// Reads one frame from the remaining bytes of `in`, whose position stays where it is.
    public static Decoded<ServiceMessage> decodeService(ByteBuffer in) {
        return decode(in, ServiceMessageJson::read);
    }

    /// Reads one frame from the remaining bytes of `in`, whose position stays where it is.
    public static Decoded<ProcessMessage> decodeProcess(ByteBuffer in) {
        return decode(in, ProcessMessageJson::read);
    }

    private static ByteBuffer frame(ObjectNode json) {
        byte[] body = Json.bytes(json);
        if (body.length > FRAME_BYTES_MAX) {
            throw new IllegalArgumentException("an IPC message has at most " + FRAME_BYTES_MAX + " bytes");
        }
        return ByteBuffer.allocate(Integer.BYTES + body.length)
                .putInt(body.length)
                .put(body)
                .flip();
    }

    private static <M> Decoded<M> decode(ByteBuffer in, Function<JsonMembers, M> reader) {
        if (in.remaining() < Integer.BYTES) {
            return new Decoded.NeedMore<>();
        }
        int length = in.getInt(in.position());
        if (length < 0 || length > FRAME_BYTES_MAX) {
            return new Decoded.Malformed<>("a frame length is out of bounds");
        }
        if (in.remaining() < Integer.BYTES + length) {
            return new Decoded.NeedMore<>();
        }
        byte[] body = new byte[length];
        in.get(in.position() + Integer.BYTES, body);
        try {
            M message = reader.apply(JsonMembers.of(Json.parse(body), ""));
            return new Decoded.Message<>(message, Integer.BYTES + length);
        } catch (JsonShapeException e) {
            return new Decoded.Malformed<>(e.reason());
        }
    }

    private static String sha256(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
