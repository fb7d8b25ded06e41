package dev.capsem.cli.demo.io;

import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/// Says that every name of the demo is 127.0.0.1, and that no other name exists.
final class NameServer implements AutoCloseable {
    private static final int TYPE_A = 1;
    private static final int HEADER_BYTES = 12;
    private static final int MESSAGE_BYTES_MAX = 4_096;
    private static final int NAME_ERROR = 3;
    private static final int TTL_SECONDS = 60;
    /// An answer's name is the question's: a pointer to where that begins.
    private static final short SAME_NAME = (short) 0xC00C;

    private final String domain;
    private final DatagramSocket socket;

    NameServer(String domain, TaskScope scope) throws IOException {
        this.domain = domain;
        this.socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        scope.start(this::serve);
    }

    int port() {
        return socket.getLocalPort();
    }

    private void serve() {
        byte[] buffer = new byte[MESSAGE_BYTES_MAX];
        while (!socket.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                socket.receive(packet);
                Optional<byte[]> reply = reply(ByteBuffer.wrap(buffer, 0, packet.getLength()), domain);
                if (reply.isPresent()) {
                    socket.send(new DatagramPacket(reply.get(), reply.get().length, packet.getSocketAddress()));
                }
            } catch (IOException closed) {
                // Closed is closed; a reply that cannot be sent is asked for again.
            }
        }
    }

    /// Empty for what is no question.
    static Optional<byte[]> reply(ByteBuffer query, String domain) {
        if (query.remaining() < HEADER_BYTES || query.getShort(4) != 1) {
            return Optional.empty();
        }
        short id = query.getShort();
        query.position(HEADER_BYTES);
        StringBuilder name = new StringBuilder();
        while (query.hasRemaining()) {
            int length = query.get() & 0xff;
            if (length == 0) {
                break;
            }
            if (length > 63 || length > query.remaining()) {
                return Optional.empty();
            }
            byte[] label = new byte[length];
            query.get(label);
            name.append(new String(label, StandardCharsets.US_ASCII)).append('.');
        }
        if (query.remaining() < 4) {
            return Optional.empty();
        }
        int type = query.getShort() & 0xffff;
        int end = query.position() + 2;
        boolean isOurs = name.toString().toLowerCase(Locale.ROOT).endsWith("." + domain + ".");
        boolean hasAnswer = isOurs && type == TYPE_A;
        byte[] question = new byte[end - HEADER_BYTES];
        query.get(HEADER_BYTES, question);
        ByteBuffer reply = ByteBuffer.allocate(HEADER_BYTES + question.length + (hasAnswer ? 16 : 0));
        // Flags: an answer, recursion was wanted and is there.
        reply.putShort(id).putShort((short) (0x8180 | (isOurs ? 0 : NAME_ERROR)));
        reply.putShort((short) 1)
                .putShort((short) (hasAnswer ? 1 : 0))
                .putInt(0)
                .put(question);
        if (hasAnswer) {
            reply.putShort(SAME_NAME)
                    .putShort((short) TYPE_A)
                    .putShort((short) 1)
                    .putInt(TTL_SECONDS);
            reply.putShort((short) 4).put(new byte[] {127, 0, 0, 1});
        }
        return Optional.of(reply.array());
    }

    @Override
    public void close() {
        socket.close();
    }
}
