package dev.capsem.network.http.websocket;

import io.netty.buffer.ByteBuf;

/// Counts the frames of one direction of a WebSocket (RFC 6455 §5.2) without holding any of them.
public final class WebSocketFrames {
    private long frames;
    /// Bytes of the current frame's head that are known; its first two tell how many there are.
    private int headBytes;

    private int headLength = 2;
    private int lengthEnds = 2;
    private long length;
    private long payloadLeft;

    public long frames() {
        return frames;
    }

    /// The buffer's indices stay.
    public void sees(ByteBuf bytes) {
        int at = bytes.readerIndex();
        while (at < bytes.writerIndex()) {
            if (payloadLeft > 0) {
                int skipped = (int) Math.min(payloadLeft, bytes.writerIndex() - at);
                payloadLeft -= skipped;
                at += skipped;
            } else {
                headByte(bytes.getByte(at++) & 0xff);
            }
        }
    }

    private void headByte(int value) {
        if (headBytes == 1) {
            int shortLength = value & 0x7f;
            int extended = shortLength == 126 ? 2 : shortLength == 127 ? 8 : 0;
            headLength = 2 + extended + ((value & 0x80) != 0 ? 4 : 0);
            lengthEnds = 2 + extended;
            length = extended == 0 ? shortLength : 0;
        } else if (headBytes >= 2 && headBytes < lengthEnds) {
            length = length << 8 | value;
        }
        headBytes++;
        if (headBytes == headLength && headBytes >= 2) {
            frames++;
            payloadLeft = Math.max(0, length);
            headBytes = 0;
            headLength = 2;
        }
    }
}
