package dev.capsem.client.io;

import dev.capsem.client.GuestCommand;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.service.ServiceError;
import dev.capsem.wire.service.TerminalControl;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import tools.jackson.databind.JsonNode;

/// A command with a terminal (or with pipes) over WebSocket: bytes both ways, control beside them. One thread calls
/// [#next], any thread sends.
public final class TerminalConnection implements GuestCommand {
    private static final int FRAME_BYTES_MAX = 4 * 1_048_576;
    private static final int CONTINUATION = 0;
    private static final int TEXT = 1;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PING = 9;
    private static final int PONG = 10;

    private final HttpConnection connection;
    private final RandomGenerator random;
    private final boolean tty;

    /// Guards the order of bytes of outgoing frames.
    private final ReentrantLock sending = new ReentrantLock();

    TerminalConnection(HttpConnection connection, RandomGenerator random, boolean tty) {
        this.connection = connection;
        this.random = random;
        this.tty = tty;
    }

    @Override
    public void input(byte[] data, int length) {
        send(BINARY, ByteBuffer.wrap(data, 0, length));
    }

    @Override
    public void control(TerminalControl control) {
        sendText(control.toJson());
    }

    void sendText(JsonNode json) {
        send(TEXT, ByteBuffer.wrap(Json.bytes(json)));
    }

    private record Message(int opcode, byte[] payload) {}

    @Override
    public Optional<Event> next() {
        try {
            while (true) {
                Message message = message();
                switch (message.opcode) {
                    case BINARY -> {
                        return Optional.of(output(message.payload));
                    }
                    case TEXT -> {
                        Optional<Event> event = control(message.payload);
                        if (event.isPresent()) {
                            return event;
                        }
                    }
                    case PING -> send(PONG, ByteBuffer.wrap(message.payload));
                    case PONG -> {}
                    default -> {
                        return Optional.empty();
                    }
                }
            }
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private Event output(byte[] payload) {
        if (tty || payload.length == 0) {
            return new Event.Output(1, payload);
        }
        return new Event.Output(payload[0], Arrays.copyOfRange(payload, 1, payload.length));
    }

    private static Optional<Event> control(byte[] payload) {
        JsonNode node;
        try {
            node = Json.parse(payload);
        } catch (JsonShapeException e) {
            return Optional.empty();
        }
        if (node.has("exit_code")) {
            Optional<String> message = Optional.ofNullable(node.get("message")).map(JsonNode::asString);
            return Optional.of(new Event.Exited(node.get("exit_code").asInt(), message));
        }
        return node.has("error") ? Optional.of(new Event.Failed(ServiceError.fromJson(node))) : Optional.empty();
    }

    /// One whole message; control frames may arrive between the fragments of another and are answered there.
    private Message message() throws IOException {
        Message first = frame();
        if ((first.opcode & 0x80) != 0) {
            return new Message(first.opcode & 0x0F, first.payload);
        }
        var whole = new ByteArrayOutputStream();
        whole.write(first.payload);
        while (true) {
            Message next = frame();
            int opcode = next.opcode & 0x0F;
            if (opcode == PING) {
                send(PONG, ByteBuffer.wrap(next.payload));
            } else if (opcode == CONTINUATION) {
                whole.write(next.payload);
                if (whole.size() > FRAME_BYTES_MAX) {
                    throw new IOException("a message of the service is too long");
                }
                if ((next.opcode & 0x80) != 0) {
                    return new Message(first.opcode & 0x0F, whole.toByteArray());
                }
            } else if (opcode == CLOSE) {
                return new Message(CLOSE, next.payload);
            }
        }
    }

    private Message frame() throws IOException {
        byte[] head = new byte[2];
        connection.readFully(head);
        long length = head[1] & 0x7F;
        if (length == 126) {
            byte[] extended = new byte[2];
            connection.readFully(extended);
            length = ByteBuffer.wrap(extended).getShort() & 0xFFFF;
        } else if (length == 127) {
            byte[] extended = new byte[8];
            connection.readFully(extended);
            length = ByteBuffer.wrap(extended).getLong();
        }
        if (length < 0 || length > FRAME_BYTES_MAX || (head[1] & 0x80) != 0) {
            throw new EOFException("malformed frame from the service");
        }
        byte[] payload = new byte[(int) length];
        connection.readFully(payload);
        return new Message(head[0] & 0x8F, payload);
    }

    private void send(int opcode, ByteBuffer payload) {
        int length = payload.remaining();
        ByteBuffer frame = ByteBuffer.allocate(14 + length);
        frame.put((byte) (0x80 | opcode));
        if (length < 126) {
            frame.put((byte) (0x80 | length));
        } else if (length < 65_536) {
            frame.put((byte) (0x80 | 126)).putShort((short) length);
        } else {
            frame.put((byte) (0x80 | 127)).putLong(length);
        }
        byte[] mask = new byte[4];
        random.nextBytes(mask);
        frame.put(mask);
        for (int i = 0; i < length; i++) {
            frame.put((byte) (payload.get() ^ mask[i & 3]));
        }
        sending.lock();
        try {
            connection.write(frame.flip());
        } catch (IOException e) {
            throw ServiceCallException.unreachable(
                    "the connection to the command was lost", "look at `capsem list` and `capsem service status`");
        } finally {
            sending.unlock();
        }
    }

    /// Ends the connection; a command that still runs is killed.
    @Override
    public void close() {
        try {
            send(CLOSE, ByteBuffer.wrap("\u0003\u00e8".getBytes(StandardCharsets.ISO_8859_1)));
        } catch (ServiceCallException e) {
            // Already gone.
        }
        connection.close();
    }
}
