package dev.capsem.process.exec;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// `pty.log`: what terminals showed, as it came. Stops at its limit; a terminal never fails because its log does.
public final class TerminalLog implements AutoCloseable {
    public static final long BYTES_MAX = 20L * 1024 * 1024;

    /// Guards the channel and its size: terminals share the log.
    private final ReentrantLock lock = new ReentrantLock();

    private Path file;
    private @Nullable FileChannel channel;
    private long size;
    private boolean broken;

    public TerminalLog(Path file) {
        this.file = file;
    }

    public void append(byte[] data) {
        lock.lock();
        try {
            if (broken) {
                return;
            }
            FileChannel open = open();
            int count = (int) Math.min(data.length, BYTES_MAX - size);
            ByteBuffer bytes = ByteBuffer.wrap(data, 0, Math.max(count, 0));
            while (bytes.hasRemaining()) {
                size += open.write(bytes);
            }
        } catch (IOException e) {
            broken = true;
        } finally {
            lock.unlock();
        }
    }

    /// The log's directory was renamed; an open log goes on where it is.
    public void moveTo(Path newFile) {
        lock.lock();
        try {
            file = newFile;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            broken = true;
            if (channel != null) {
                channel.close();
            }
        } catch (IOException ignored) {
            // Nothing more is written to it.
        } finally {
            lock.unlock();
        }
    }

    private FileChannel open() throws IOException {
        if (channel == null) {
            channel = FileChannel.open(
                    file,
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            size = channel.size();
        }
        return channel;
    }
}
