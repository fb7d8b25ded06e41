package dev.capsem.backends.io;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

/// Plain TCP from where the program runs.
public final class DirectDialer implements Dialer {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    @Override
    public Socket dial(String host, int port) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(host, port), (int) CONNECT_TIMEOUT.toMillis());
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }
}
