package dev.capsem.network.http.websocket;

import dev.capsem.events.security.Body;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// A whole message of a WebSocket, or one of its control frames, unmasked.
///
/// @param maskingKey of its first frame, and of the frame that it goes on as; 0 if it came without one
public record WebSocketMessage(int opcode, byte[] payload, int maskingKey) {
    static final int TEXT = 1;
    static final int BINARY = 2;
    static final int CLOSE = 8;
    static final int PING = 9;
    static final int PONG = 10;

    /// A control frame's payload (RFC 6455 §5.5).
    static final int CONTROL_BYTES_MAX = 125;

    private static final int CLOSE_CODE_BYTES = 2;

    /// @param reason cut to what a control frame holds
    public static WebSocketMessage close(int code, String reason) {
        String shown = reason;
        while (bytes(shown).length > CONTROL_BYTES_MAX - CLOSE_CODE_BYTES) {
            shown = shown.substring(0, shown.offsetByCodePoints(shown.length(), -1));
        }
        byte[] text = bytes(shown);
        byte[] payload = new byte[CLOSE_CODE_BYTES + text.length];
        payload[0] = (byte) (code >>> 8);
        payload[1] = (byte) code;
        System.arraycopy(text, 0, payload, CLOSE_CODE_BYTES, text.length);
        return new WebSocketMessage(CLOSE, payload, 0);
    }

    /// What a control frame says is dropped rather than changed: it has a fixed size and a peer that expects it.
    public WebSocketMessage withText(String changed) {
        byte[] other = isControl() ? Arrays.copyOf(payload, spokenFrom()) : bytes(changed);
        return new WebSocketMessage(opcode, other, maskingKey);
    }

    /// The same message with other content.
    public WebSocketMessage withPayload(byte[] other) {
        return new WebSocketMessage(opcode, other, maskingKey);
    }

    public boolean isText() {
        return opcode == TEXT;
    }

    /// What rules see of it: of a close its reason. Control frames count as well, since they carry what they are given.
    public Body body() {
        int from = spokenFrom();
        return Body.of(from == 0 ? payload : Arrays.copyOfRange(payload, from, payload.length), Optional.empty());
    }

    /// A ping, a pong or a close.
    public boolean isControl() {
        return opcode >= CLOSE;
    }

    private int spokenFrom() {
        return opcode == CLOSE ? Math.min(CLOSE_CODE_BYTES, payload.length) : 0;
    }

    /// As one frame.
    ///
    /// @param isMasked as a client's frames are
    public ByteBuf frame(boolean isMasked) {
        return frame(true, opcode, payload, isMasked, maskingKey);
    }

    public static ByteBuf frame(boolean isFinal, int opcode, byte[] payload, boolean isMasked, int maskingKey) {
        ByteBuf frame = Unpooled.buffer(payload.length + WebSocketReader.HEAD_BYTES_MAX);
        frame.writeByte((isFinal ? 0x80 : 0) | opcode);
        int mask = isMasked ? 0x80 : 0;
        if (payload.length < 126) {
            frame.writeByte(mask | payload.length);
        } else if (payload.length <= 0xffff) {
            frame.writeByte(mask | 126).writeShort(payload.length);
        } else {
            frame.writeByte(mask | 127).writeLong(payload.length);
        }
        if (!isMasked) {
            return frame.writeBytes(payload);
        }
        frame.writeInt(maskingKey);
        int start = frame.writerIndex();
        frame.writeBytes(payload);
        for (int i = 0; i < payload.length; i++) {
            frame.setByte(start + i, payload[i] ^ maskAt(maskingKey, i));
        }
        return frame;
    }

    static int maskAt(int maskingKey, long position) {
        return maskingKey >>> (24 - 8 * (int) (position & 3)) & 0xff;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /// Content may be secret.
    @Override
    public String toString() {
        return "WebSocketMessage[" + payload.length + " bytes]";
    }
}
