package dev.capsem.testkit.dns;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// A name server on loopback, UDP and TCP at one port. It knows what tests told it; of anything else it says that there
/// is no such name.
public final class DnsOrigin implements AutoCloseable {
    public static final int A = 1;
    public static final int CNAME = 5;
    public static final int TXT = 16;
    public static final int AAAA = 28;

    private static final int TTL_SECONDS = 120;
    private static final int NO_SUCH_NAME = 3;

    /// @param transport `udp` or `tcp`
    public record Asked(String name, int type, String transport) {}

    private record Answer(int type, byte[] content) {}

    private final ServerSocket tcp;
    private final DatagramSocket udp;
    private final Map<String, List<Answer>> answers = new ConcurrentHashMap<>();
    private final Set<String> onlyOverTcp = ConcurrentHashMap.newKeySet();
    private final List<Asked> asked = new CopyOnWriteArrayList<>();

    public DnsOrigin() {
        try {
            tcp = new ServerSocket();
            tcp.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            udp = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), tcp.getLocalPort()));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        Thread.ofVirtual().start(this::serveUdp);
        Thread.ofVirtual().start(this::serveTcp);
    }

    public int port() {
        return tcp.getLocalPort();
    }

    /// Gives a name these addresses, beside what it has.
    public DnsOrigin address(String name, String... addresses) {
        for (String text : addresses) {
            byte[] address = literal(text);
            add(name, new Answer(address.length == 4 ? A : AAAA, address));
        }
        return this;
    }

    /// An IPv6 address that stands for one of IPv4 (`::ffff:a.b.c.d`), as it is on the wire.
    public DnsOrigin mapped(String name, String address) {
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xff;
        mapped[11] = (byte) 0xff;
        System.arraycopy(literal(address), 0, mapped, 12, 4);
        return add(name, new Answer(AAAA, mapped));
    }

    public DnsOrigin text(String name, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        byte[] content = new byte[bytes.length + 1];
        content[0] = (byte) bytes.length;
        System.arraycopy(bytes, 0, content, 1, bytes.length);
        return add(name, new Answer(TXT, content));
    }

    public DnsOrigin alias(String name, String other) {
        return add(name, new Answer(CNAME, encoded(other)));
    }

    /// Answers over UDP with "ask again over TCP".
    public DnsOrigin onlyOverTcp(String name) {
        onlyOverTcp.add(name);
        return this;
    }

    public List<Asked> asked() {
        return List.copyOf(asked);
    }

    public List<Asked> asked(String name) {
        return asked.stream().filter(one -> one.name().equals(name)).toList();
    }

    private DnsOrigin add(String name, Answer answer) {
        answers.computeIfAbsent(name, key -> new CopyOnWriteArrayList<>()).add(answer);
        return this;
    }

    private void serveUdp() {
        byte[] buffer = new byte[4096];
        while (!udp.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                udp.receive(packet);
                byte[] reply = answer(Arrays.copyOf(buffer, packet.getLength()), "udp");
                udp.send(new DatagramPacket(reply, reply.length, packet.getSocketAddress()));
            } catch (IOException closed) {
                // close() ends the loop; a lost answer shows as the client's failure.
            }
        }
    }

    private void serveTcp() {
        while (!tcp.isClosed()) {
            try {
                Socket socket = tcp.accept();
                Thread.ofVirtual().start(() -> serveTcp(socket));
            } catch (IOException closed) {
                // close() ends the loop.
            }
        }
    }

    private void serveTcp(Socket socket) {
        try (socket;
                DataInputStream in = new DataInputStream(socket.getInputStream());
                DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
            while (true) {
                byte[] reply = answer(in.readNBytes(in.readUnsignedShort()), "tcp");
                byte[] framed = ByteBuffer.allocate(reply.length + 2)
                        .putShort((short) reply.length)
                        .put(reply)
                        .array();
                out.write(framed);
                out.flush();
            }
        } catch (IOException over) {
            // The client has what it wanted.
        }
    }

    private byte[] answer(byte[] query, String transport) {
        ByteBuffer in = ByteBuffer.wrap(query);
        int id = in.getShort() & 0xffff;
        in.position(12);
        String name = decoded(in);
        int type = in.getShort() & 0xffff;
        in.getShort();
        asked.add(new Asked(name, type, transport));
        byte[] question = Arrays.copyOfRange(query, 12, in.position());
        boolean isCut = transport.equals("udp") && onlyOverTcp.contains(name);
        List<Answer> known = answers.getOrDefault(name, List.of());
        List<Answer> fitting = new ArrayList<>();
        for (Answer answer : known) {
            if (!isCut && (answer.type() == type || answer.type() == CNAME)) {
                fitting.add(answer);
            }
        }
        int code = known.isEmpty() ? NO_SUCH_NAME : 0;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        shorts(out, id, 0x8180 | (isCut ? 0x0200 : 0) | code, 1, fitting.size(), 0, 0);
        out.writeBytes(question);
        for (Answer answer : fitting) {
            shorts(out, 0xc00c, answer.type(), 1, 0, TTL_SECONDS, answer.content().length);
            out.writeBytes(answer.content());
        }
        return out.toByteArray();
    }

    private static void shorts(ByteArrayOutputStream out, int... values) {
        for (int value : values) {
            out.write(value >>> 8);
            out.write(value);
        }
    }

    private static String decoded(ByteBuffer in) {
        List<String> labels = new ArrayList<>();
        for (int length = in.get(); length > 0; length = in.get()) {
            byte[] label = new byte[length];
            in.get(label);
            labels.add(new String(label, StandardCharsets.US_ASCII));
        }
        return String.join(".", labels).toLowerCase(Locale.ROOT);
    }

    private static byte[] encoded(String name) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (String label : name.split("\\.")) {
            out.write(label.length());
            out.writeBytes(label.getBytes(StandardCharsets.US_ASCII));
        }
        out.write(0);
        return out.toByteArray();
    }

    private static byte[] literal(String text) {
        try {
            return InetAddress.ofLiteral(text).getAddress();
        } catch (IllegalArgumentException notAnAddress) {
            throw new IllegalArgumentException("not an address: " + text, notAnAddress);
        }
    }

    @Override
    public void close() {
        udp.close();
        try {
            tcp.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
