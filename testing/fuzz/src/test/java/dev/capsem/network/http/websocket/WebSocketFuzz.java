package dev.capsem.network.http.websocket;

import dev.capsem.fuzz.Property;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.HexFormat;

/// Messages of both directions. The first byte says which, and how much may be held.
public final class WebSocketFuzz {
    private WebSocketFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length == 0) {
            return;
        }
        boolean isMasked = (data[0] & 1) != 0;
        int heldMax = (data[0] >> 1 & 0x3f) - 1;
        byte[] bytes = java.util.Arrays.copyOfRange(data, 1, data.length);
        Property.same(
                story(isMasked, heldMax, new byte[][] {bytes}),
                story(isMasked, heldMax, Property.pieces(bytes)),
                "under another split");
        Property.same(
                frames(new byte[][] {bytes}), frames(Property.pieces(bytes)), "frames counted under another split");
    }

    private static long frames(byte[][] pieces) {
        WebSocketFrames frames = new WebSocketFrames();
        for (byte[] piece : pieces) {
            frames.sees(Unpooled.wrappedBuffer(piece));
        }
        return frames.frames();
    }

    private static String story(boolean isMasked, int heldMax, byte[][] pieces) {
        WebSocketReader reader = new WebSocketReader(isMasked, heldMax);
        ByteBuf in = Unpooled.buffer();
        StringBuilder story = new StringBuilder();
        for (byte[] piece : pieces) {
            in.discardReadBytes().writeBytes(piece);
            if (!read(reader, in, heldMax, story)) {
                return story.toString();
            }
        }
        return story.toString();
    }

    /// Whether it can go on.
    private static boolean read(WebSocketReader reader, ByteBuf in, int heldMax, StringBuilder story) {
        while (true) {
            switch (reader.read(in)) {
                case WebSocketReader.Read.NeedMore _ -> {
                    Property.holds(in.readableBytes() < WebSocketReader.HEAD_BYTES_MAX, "too much is kept outside");
                    return true;
                }
                case WebSocketReader.Read.Whole(WebSocketMessage message) -> {
                    boolean isControl = message.opcode() >= WebSocketMessage.CLOSE;
                    Property.holds(
                            message.payload().length
                                    <= (isControl ? WebSocketMessage.CONTROL_BYTES_MAX : Math.max(0, heldMax)),
                            "more is held than allowed");
                    story.append('<')
                            .append(message.opcode())
                            .append(HexFormat.of().formatHex(message.payload()))
                            .append('>');
                }
                case WebSocketReader.Read.Piece(ByteBuf copy, int _, long _) -> {
                    story.append(ByteBufUtil.hexDump(copy));
                    copy.release();
                }
                case WebSocketReader.Read.Wants _ -> reader.mayHold();
                case WebSocketReader.Read.TooLarge _ ->
                    reader.passRest().ifPresent(began -> {
                        story.append(ByteBufUtil.hexDump(began));
                        began.release();
                    });
                case WebSocketReader.Read.Malformed(String reason) -> {
                    story.append(reason);
                    return false;
                }
            }
        }
    }
}
