package dev.capsem.backends.io;

import java.io.IOException;
import java.net.Socket;

/// Connects to hosts.
public interface Dialer {
    /// A connected socket; whoever reads from it ends a wait by closing it.
    Socket dial(String host, int port) throws IOException;
}
