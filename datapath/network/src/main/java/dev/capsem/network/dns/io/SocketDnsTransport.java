package dev.capsem.network.dns.io;

import dev.capsem.network.dns.DnsTransport;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Predicate;

/// Plain sockets, a fresh one for each query, so that its port is as hard to guess as the kernel can make it.
public final class SocketDnsTransport implements DnsTransport {
    private static final int DATAGRAM_BYTES_MAX = 65_535;

    @Override
    public byte[] overUdp(InetSocketAddress server, byte[] query, Predicate<byte[]> expected, Duration timeout)
            throws IOException {
        long deadline = System.nanoTime() + timeout.toNanos();
        try (DatagramSocket socket = new DatagramSocket()) {
            // Connected: datagrams from anywhere else never reach us, and a closed port is told at once.
            socket.connect(server);
            socket.send(new DatagramPacket(query, query.length));
            DatagramPacket packet = new DatagramPacket(new byte[DATAGRAM_BYTES_MAX], DATAGRAM_BYTES_MAX);
            while (true) {
                long left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
                if (left <= 0) {
                    throw new SocketTimeoutException("no answer in time");
                }
                socket.setSoTimeout((int) left);
                packet.setLength(DATAGRAM_BYTES_MAX);
                socket.receive(packet);
                byte[] answer = Arrays.copyOf(packet.getData(), packet.getLength());
                if (expected.test(answer)) {
                    return answer;
                }
            }
        }
    }

    @Override
    public byte[] overTcp(InetSocketAddress server, byte[] query, Duration timeout) throws IOException {
        long deadline = System.nanoTime() + timeout.toNanos();
        try (Socket socket = new Socket()) {
            socket.connect(server, left(deadline));
            socket.setTcpNoDelay(true);
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            byte[] frame = new byte[2 + query.length];
            frame[0] = (byte) (query.length >> 8);
            frame[1] = (byte) query.length;
            System.arraycopy(query, 0, frame, 2, query.length);
            out.write(frame);
            out.flush();
            return read(socket, deadline);
        }
    }

    /// Piece by piece, each with the time that is left: a server that drips bytes gets no more than the others.
    private static byte[] read(Socket socket, long deadline) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        socket.setSoTimeout(left(deadline));
        byte[] answer = new byte[in.readUnsignedShort()];
        int have = 0;
        while (have < answer.length) {
            socket.setSoTimeout(left(deadline));
            int count = in.read(answer, have, answer.length - have);
            if (count < 0) {
                throw new IOException("the resolver hung up in the middle of its answer");
            }
            have += count;
        }
        return answer;
    }

    private static int left(long deadline) throws SocketTimeoutException {
        long millis = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
        if (millis <= 0) {
            throw new SocketTimeoutException("no answer in time");
        }
        return (int) millis;
    }
}
