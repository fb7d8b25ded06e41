package dev.capsem.wire.mcp;

import dev.capsem.fuzz.Property;
import dev.capsem.wire.Decoded;
import java.nio.ByteBuffer;
import java.util.Arrays;

public final class McpFramesFuzz {
    private McpFramesFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        Decoded<McpFrames.Incoming> whole = Property.settled(data, McpFrames::decode);
        if (whole instanceof Decoded.Message<McpFrames.Incoming>(McpFrames.Incoming incoming, int consumed)) {
            Property.same(
                    McpFrames.announced(ByteBuffer.wrap(data)).orElse(-1), (long) consumed, "announced and consumed");
            if (incoming instanceof McpFrames.Incoming.Frame(McpFrame frame)) {
                Property.holds(
                        Arrays.equals(McpFrames.encode(frame), Arrays.copyOf(data, consumed)),
                        "a frame is written otherwise than it was read");
                Property.holds(McpFrames.isFrameStart(ByteBuffer.wrap(data)), "a frame that does not begin like one");
            }
        }
    }
}
