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

    /// Requires: nobody listens on `path` any more (a leftover file is replaced), and its directory lets in only those
    /// who may connect: between bind and chmod the file has the umask's mode.
    ///
    /// @param mode as in `rw-------`
    public static UnixListener bind(Path path, String mode) throws IOException {
        Files.deleteIfExists(path);
        ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.bind(UnixDomainSocketAddress.of(path), BACKLOG);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
            return new UnixListener(channel, path);
        } catch (IOException e) {
            channel.close();
            Files.deleteIfExists(path);
            throw e;
        }
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
