package dev.capsem.network.dns;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/// A resolver on the loopback, UDP and TCP on one port, that answers as the test says and keeps what it was asked.
final class LoopbackDns implements AutoCloseable {
    /// With a resolver that answers: on a busy machine it may take its time.
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private final DatagramSocket datagrams;
    private final ServerSocket connections;
    private final Function<byte[], List<byte[]>> overUdp;
    private final Function<byte[], byte[]> overTcp;
    private final List<byte[]> asked = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /// @param overUdp the datagrams to send back, in order; none for silence
    /// @param overTcp the answer over a connection; empty to hang up
    LoopbackDns(Function<byte[], List<byte[]>> overUdp, Function<byte[], byte[]> overTcp) throws IOException {
        this.overUdp = overUdp;
        this.overTcp = overTcp;
        this.connections = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        this.datagrams = new DatagramSocket(address());
        threads.execute(this::serveDatagrams);
        threads.execute(this::serveConnections);
    }

    static LoopbackDns answering(Function<byte[], byte[]> answer) throws IOException {
        return new LoopbackDns(query -> List.of(answer.apply(query)), answer);
    }

    static LoopbackDns silent() throws IOException {
        return new LoopbackDns(_ -> List.of(), _ -> new byte[0]);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), connections.getLocalPort());
    }

    List<byte[]> asked() {
        return asked;
    }

    /// Waits for that many: who gives up on an answer does not wait until its question was read.
    List<byte[]> asked(int count) throws InterruptedException {
        Instant limit = Instant.now().plus(PATIENCE);
        while (asked.size() < count && Instant.now().isBefore(limit)) {
            Thread.sleep(5);
        }
        return asked;
    }

    private void serveDatagrams() {
        DatagramPacket packet = new DatagramPacket(new byte[65_535], 65_535);
        try {
            while (true) {
                packet.setLength(65_535);
                datagrams.receive(packet);
                byte[] query = Arrays.copyOf(packet.getData(), packet.getLength());
                asked.add(query);
                for (byte[] answer : overUdp.apply(query)) {
                    datagrams.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
                }
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void serveConnections() {
        try {
            while (true) {
                Socket socket = connections.accept();
                threads.execute(() -> serve(socket));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] query = new byte[in.readUnsignedShort()];
            in.readFully(query);
            asked.add(query);
            byte[] answer = overTcp.apply(query);
            if (answer.length > 0) {
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                out.writeShort(answer.length);
                out.write(answer);
            }
        } catch (EOFException hungUp) {
            // Its own business.
        } catch (IOException lost) {
            // Likewise.
        }
    }

    @Override
    public void close() throws IOException {
        datagrams.close();
        connections.close();
        threads.shutdownNow();
        threads.close();
    }
}
