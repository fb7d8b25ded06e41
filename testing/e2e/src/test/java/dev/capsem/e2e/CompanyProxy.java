package dev.capsem.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A proxy on loopback that knows whoever has the password, and takes every name for this host.
final class CompanyProxy implements AutoCloseable {
    static final String CREDENTIALS = "person:open-sesame";

    private final ServerSocket listener;
    private final List<String> tunnels = new CopyOnWriteArrayList<>();

    CompanyProxy() {
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /// Where those who knew the password wanted to go, as `host:port`.
    List<String> tunnels() {
        return tunnels;
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Thread.ofVirtual().start(() -> serve(client));
            }
        } catch (IOException closed) {
            // The end.
        }
    }

    private void serve(Socket client) {
        try (client) {
            String head = head(client.getInputStream());
            String password = Base64.getEncoder().encodeToString(CREDENTIALS.getBytes(StandardCharsets.UTF_8));
            if (!head.contains("Proxy-Authorization: Basic " + password + "\r\n")) {
                say(client, "407 Proxy Authentication Required");
                return;
            }
            String target = head.split(" ", 3)[1];
            tunnels.add(target);
            int port = Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
            try (Socket server = new Socket(InetAddress.getLoopbackAddress(), port)) {
                say(client, "200 Connection established");
                Thread.ofVirtual().start(() -> pump(client, server));
                pump(server, client);
            }
        } catch (IOException gone) {
            // One of the two ended.
        }
    }

    private static void pump(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException gone) {
            // One of the two ended.
        }
    }

    private static void say(Socket to, String status) throws IOException {
        OutputStream out = to.getOutputStream();
        out.write(("HTTP/1.1 " + status + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        for (int next = in.read(); next >= 0; next = in.read()) {
            head.append((char) next);
            if (head.toString().endsWith("\r\n\r\n")) {
                return head.toString();
            }
        }
        throw new IOException("no head");
    }
}
