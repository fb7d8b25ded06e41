package dev.capsem.network;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A company's proxy on loopback: tunnels and forwards to loopback whatever name it is told, and writes the heads down.
final class ConnectProxy implements AutoCloseable {
    final List<String> heads = new CopyOnWriteArrayList<>();
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final String refusal;

    ConnectProxy() throws IOException {
        this("");
    }

    /// @param refusal the answer to everything, or empty to do as asked
    ConnectProxy(String refusal) throws IOException {
        this.refusal = refusal;
        Thread.ofVirtual().start(this::acceptAll);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void acceptAll() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            String head = head(client.getInputStream());
            heads.add(head);
            if (!refusal.isEmpty()) {
                client.getOutputStream().write(refusal.getBytes(StandardCharsets.US_ASCII));
                return;
            }
            String target = head.split(" ")[1];
            boolean isTunnel = head.startsWith("CONNECT ");
            String authority = isTunnel ? target : target.substring("http://".length(), target.indexOf('/', 7));
            int port = Integer.parseInt(authority.substring(authority.lastIndexOf(':') + 1));
            try (Socket origin = new Socket(InetAddress.getLoopbackAddress(), port)) {
                if (isTunnel) {
                    client.getOutputStream()
                            .write("HTTP/1.1 200 Connection established\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                } else {
                    String own =
                            head.replaceFirst("http://[^/]*", "").replaceFirst("(?i)proxy-authorization:.*\r\n", "");
                    origin.getOutputStream().write(own.getBytes(StandardCharsets.US_ASCII));
                }
                Thread back = Thread.ofVirtual().start(() -> copy(origin, client));
                copy(client, origin);
                back.join();
            }
        } catch (IOException | InterruptedException over) {
            // A connection's end is its own business.
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            in.transferTo(out);
            to.shutdownOutput();
        } catch (IOException over) {
            // As above.
        }
    }

    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("no head");
            }
            head.write(next);
        }
        return head.toString(StandardCharsets.US_ASCII);
    }

    /// From now on nobody is there.
    void stop() throws IOException {
        listener.close();
    }

    @Override
    public void close() throws IOException {
        stop();
    }
}
