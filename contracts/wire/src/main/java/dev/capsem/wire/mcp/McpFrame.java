package dev.capsem.wire.mcp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// One JSON-RPC message on its way between the guest's relay and the host.
///
/// @param streamId pairs a reply with its request; 0 for messages that no reply on a stream belongs to
/// @param processName the guest's claim, possibly empty; at most [McpFrames#PROCESS_NAME_BYTES_MAX] bytes of UTF-8
/// @param payload one JSON-RPC object; the frame's own, not to be changed
public record McpFrame(long streamId, String processName, byte[] payload) {
    public static final long STREAM_ID_MAX = 0xFFFF_FFFFL;

    public McpFrame {
        if (streamId < 0 || streamId > STREAM_ID_MAX) {
            throw new IllegalArgumentException("a stream id is an unsigned 32-bit number");
        }
        int nameBytes = processName.getBytes(StandardCharsets.UTF_8).length;
        if (nameBytes > McpFrames.PROCESS_NAME_BYTES_MAX) {
            throw new IllegalArgumentException("a process name is too long");
        }
        if (McpFrames.HEADER_BYTES + nameBytes + payload.length > McpFrames.BODY_BYTES_MAX) {
            throw new IllegalArgumentException("a frame is too long");
        }
    }

    /// Whether it stands alone: a notification, or one side's turn in an exchange that the host began.
    public boolean isNotification() {
        return streamId == 0;
    }

    public static boolean fits(String processName, int payloadBytes) {
        return McpFrames.HEADER_BYTES + processName.getBytes(StandardCharsets.UTF_8).length + (long) payloadBytes
                <= McpFrames.BODY_BYTES_MAX;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof McpFrame frame
                && streamId == frame.streamId
                && processName.equals(frame.processName)
                && Arrays.equals(payload, frame.payload);
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(streamId) + Arrays.hashCode(payload);
    }

    /// Payload may be secret.
    @Override
    public String toString() {
        return "McpFrame[stream " + streamId + ", " + payload.length + " bytes]";
    }
}
