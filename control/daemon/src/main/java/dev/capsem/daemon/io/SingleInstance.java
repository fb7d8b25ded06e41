package dev.capsem.daemon.io;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/// Holds the lock that makes this the only service of its run directory. The kernel lets go of it however we end.
public final class SingleInstance implements AutoCloseable {
    private final FileChannel channel;
    private final FileLock lock;

    private SingleInstance(FileChannel channel, FileLock lock) {
        this.channel = channel;
        this.lock = lock;
    }

    /// Empty when another service already serves. Removes the socket of one that died.
    public static Optional<SingleInstance> acquire(Path runDir, Path socket) throws IOException {
        FileChannel channel =
                FileChannel.open(runDir.resolve("service.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock();
        if (lock == null) {
            channel.close();
            return Optional.empty();
        }
        if (answers(socket)) {
            // Somebody serves this socket from another run directory.
            lock.release();
            channel.close();
            return Optional.empty();
        }
        Files.deleteIfExists(socket);
        return Optional.of(new SingleInstance(channel, lock));
    }

    private static boolean answers(Path socket) {
        if (!Files.exists(socket)) {
            return false;
        }
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return probe.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        try {
            lock.release();
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
