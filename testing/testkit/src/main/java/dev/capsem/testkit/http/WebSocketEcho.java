package dev.capsem.testkit.http;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Answers an upgrade and sends every message back (RFC 6455), until the client closes.
public final class WebSocketEcho implements HttpOrigin.Handler {
    private static final String ACCEPT_SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int TEXT = 1;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;

    private final List<String> messages = new CopyOnWriteArrayList<>();

    /// Text messages so far.
    public List<String> messages() {
        return List.copyOf(messages);
    }

    @Override
    public void handle(Exchange exchange) throws IOException {
        String key = exchange.header("sec-websocket-key").orElse("");
        if (key.isEmpty()) {
            exchange.reply(426, "text/plain", "this path speaks WebSocket\n");
            return;
        }
        exchange.raw("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n"
                + "sec-websocket-accept: " + accept(key) + "\r\n\r\n");
        DataInputStream in = new DataInputStream(exchange.takeInput());
        OutputStream out = exchange.takeOutput();
        while (true) {
            int first = in.readUnsignedByte();
            int second = in.readUnsignedByte();
            long length = second & 0x7f;
            if (length == 126) {
                length = in.readUnsignedShort();
            } else if (length == 127) {
                length = in.readLong();
            }
            byte[] mask = in.readNBytes(4);
            byte[] payload = in.readNBytes((int) length);
            for (int i = 0; i < payload.length; i++) {
                payload[i] ^= mask[i % 4];
            }
            int opcode = first & 0x0f;
            switch (opcode) {
                case TEXT -> {
                    messages.add(new String(payload, StandardCharsets.UTF_8));
                    send(out, first, payload);
                }
                case BINARY, CLOSE -> send(out, first, payload);
                case PING -> send(out, 0x80 | PONG, payload);
                default -> send(out, first, payload);
            }
            if (opcode == CLOSE) {
                return;
            }
        }
    }

    private static void send(OutputStream out, int first, byte[] payload) throws IOException {
        out.write(first);
        if (payload.length < 126) {
            out.write(payload.length);
        } else if (payload.length <= 0xffff) {
            out.write(126);
            out.write(payload.length >>> 8);
            out.write(payload.length);
        } else {
            out.write(127);
            for (int shift = 56; shift >= 0; shift -= 8) {
                out.write((int) ((long) payload.length >>> shift));
            }
        }
        out.write(payload);
        out.flush();
    }

    private static String accept(String key) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1")
                    .digest((key + ACCEPT_SUFFIX).getBytes(StandardCharsets.US_ASCII));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
