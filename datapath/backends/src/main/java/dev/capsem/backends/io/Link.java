package dev.capsem.backends.io;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/// A connection: bytes in, bytes out. Whoever waits for it is set free by closing it.
public final class Link implements Closeable {
    private final Socket socket;
    private volatile boolean isClosed;

    Link(Socket socket) {
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

    @Override
    public void close() throws IOException {
        isClosed = true;
        socket.close();
    }
}
