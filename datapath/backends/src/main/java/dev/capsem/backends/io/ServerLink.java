package dev.capsem.backends.io;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/// A connection: bytes in, bytes out. Whoever waits for it is set free by closing it.
public final class ServerLink implements Closeable {
    private final ChannelSocket plain;
    private final Socket socket;
    private volatile boolean isClosed;

    /// @param socket `plain` itself, or TLS on top of it
    ServerLink(ChannelSocket plain, Socket socket) {
        this.plain = plain;
        this.socket = socket;
    }

    public InputStream input() throws IOException {
        return socket.getInputStream();
    }

    public OutputStream output() throws IOException {
        return socket.getOutputStream();
    }

    public boolean isClosed() {
        return isClosed;
    }

    /// Whether a connection at rest has nobody at its other end any more. Requires: nobody else reads from it.
    public boolean isStale() {
        return isClosed || plain.isStale();
    }

    @Override
    public void close() throws IOException {
        isClosed = true;
        socket.close();
    }
}
