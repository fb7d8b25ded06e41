package dev.capsem.backends.io;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/// Plain TCP from where the program runs.
public final class DirectDialer implements Dialer {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    @Override
    public ChannelSocket dial(String host, int port) throws IOException {
        return ChannelSocket.connect(new InetSocketAddress(host, port), CONNECT_TIMEOUT);
    }
}
