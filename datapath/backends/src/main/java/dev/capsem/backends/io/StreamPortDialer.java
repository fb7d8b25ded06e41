package dev.capsem.backends.io;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// Connects through a sandbox's port 5002, where the Network Engine sees host and request like any guest's: the same
/// rules, the same records. Who is meant stands in the request itself.
public final class StreamPortDialer implements Dialer {
    private static final byte[] META = "\0CAPSEM_META:capsem-mcp-builtin\n".getBytes(StandardCharsets.US_ASCII);

    private final Path socket;

    public StreamPortDialer(Path socket) {
        this.socket = socket;
    }

    @Override
    public ChannelSocket dial(String host, int port) throws IOException {
        ChannelSocket connection = ChannelSocket.connect(socket);
        try {
            connection.getOutputStream().write(META);
            return connection;
        } catch (IOException e) {
            connection.close();
            throw e;
        }
    }
}
