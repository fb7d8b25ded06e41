package dev.capsem.wire.io;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/// A listening Unix socket whose file goes when it does.
public final class UnixListener implements AutoCloseable {
    /// Connections waiting to be accepted; beyond it a connect fails. A hundred commands at once are ordinary.
    private static final int BACKLOG = 1_024;

    private final ServerSocketChannel channel;
    private volatile Path path;

    private UnixListener(ServerSocketChannel channel, Path path) {
        this.channel = channel;
        this.path = path;
    }

    /// The file appears under its name only when it can be connected to and has its mode. A leftover file is replaced.
    ///
    /// Requires: nobody listens on `path` any more.
    ///
    /// @param mode as in `rw-------`
    public static UnixListener bind(Path path, String mode) throws IOException {
        Path unfinished = unfinished(path);
        Files.deleteIfExists(unfinished);
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.bind(UnixDomainSocketAddress.of(unfinished), BACKLOG);
            Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString(mode));
            Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE);
            return new UnixListener(channel, path);
        } catch (IOException e) {
            channel.close();
            Files.deleteIfExists(unfinished);
            throw e;
        }
    }

    /// As long as the name itself, because a socket's path may already be as long as the kernel takes.
    private static Path unfinished(Path path) {
        String name = String.valueOf(path.getFileName());
        return path.resolveSibling(name.substring(0, name.length() - 1) + "~");
    }

    public Path path() {
        return path;
    }

    /// The next connection, or empty once the listener is closed.
    public Optional<SocketChannel> accept() throws IOException {
        try {
            return Optional.of(channel.accept());
        } catch (ClosedChannelException e) {
            return Optional.empty();
        }
    }

    /// Renames the socket's file; whoever is connected or connects under the new name notices nothing.
    public void moveTo(Path newPath) throws IOException {
        Files.move(path, newPath, StandardCopyOption.ATOMIC_MOVE);
        path = newPath;
    }

    @Override
    public void close() {
        try {
            channel.close();
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
