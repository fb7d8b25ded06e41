package dev.capsem.policy.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/// Answers every connection on 127.0.0.1 with one HTTP response, and counts them: a refused request must not arrive.
final class LoopbackServer implements AutoCloseable {
    static final String BODY = "reached";

    private final ServerSocket listener;
    private final AtomicInteger connections = new AtomicInteger();

    LoopbackServer() throws IOException {
        this.listener = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));
        Thread.ofVirtual().start(this::serve);
    }

    int port() {
        return listener.getLocalPort();
    }

    int connections() {
        return connections.get();
    }

    private void serve() {
        while (!listener.isClosed()) {
            try (Socket socket = listener.accept()) {
                connections.incrementAndGet();
                socket.setSoTimeout(5_000);
                socket.getInputStream().read(new byte[4096]);
                String response =
                        "HTTP/1.1 200 OK\r\nContent-Length: " + BODY.length() + "\r\nConnection: close\r\n\r\n" + BODY;
                socket.getOutputStream().write(response.getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                // The listener was closed, or a client went away; either way there is nothing to answer.
            }
        }
    }

    /// Sends a raw request to a proxy and gives back the status line.
    static String ask(int proxyPort, String request) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), proxyPort), 5_000);
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            byte[] answer = new byte[512];
            int length = socket.getInputStream().read(answer);
            String text = new String(answer, 0, Math.max(length, 0), StandardCharsets.US_ASCII);
            return text.lines().findFirst().orElse("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String connect(int proxyPort, String authority) {
        return ask(proxyPort, "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n");
    }

    static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0)) {
            return probe.getLocalPort();
        }
    }

    static void await(int port, Process process) throws InterruptedException {
        for (int attempt = 0; attempt < 300 && process.isAlive(); attempt++) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port), 200);
                return;
            } catch (IOException e) {
                Thread.sleep(100);
            }
        }
        throw new IllegalStateException("the program did not open its port");
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
