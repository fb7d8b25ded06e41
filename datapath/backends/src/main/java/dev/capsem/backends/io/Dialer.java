package dev.capsem.backends.io;

import java.io.IOException;

/// Connects to hosts.
public sealed interface Dialer permits DirectDialer, StreamPortDialer, TunnelDialer {
    /// A connected socket; whoever reads from it ends a wait by closing it.
    ChannelSocket dial(String host, int port) throws IOException;
}
