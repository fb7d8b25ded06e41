package dev.capsem.service.commands;

import dev.capsem.wire.io.TaskScope;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/// Tells whether the reader of a stream is still there while a command says nothing: only a write finds out. When the
/// reader is gone, the command's stream is closed, which kills the command.
final class ClientProbe implements AutoCloseable {
    private static final Duration EVERY = Duration.ofSeconds(1);

    private final Runnable beat;
    private final CommandStream stream;
    private final Future<?> beating;

    /// Guards `isClosed` and `gone`, and keeps beats and events apart.
    private final ReentrantLock lock = new ReentrantLock();

    private boolean isClosed;
    private Optional<RuntimeException> gone = Optional.empty();

    /// @param beat throws when the reader is gone
    ClientProbe(Runnable beat, CommandStream stream, TaskScope background) {
        this.beat = beat;
        this.stream = stream;
        // Most commands end before the first beat and need no thread for it.
        this.beating = ForkJoinPool.commonPool()
                .schedule(() -> background.start(this::beatUntilClosed), EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void beatUntilClosed() {
        try {
            while (isBeating()) {
                Thread.sleep(EVERY);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isBeating() {
        lock.lock();
        try {
            if (!isClosed) {
                beat.run();
            }
            return !isClosed;
        } catch (RuntimeException e) {
            gone = Optional.of(e);
            stream.close();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /// What a writer does, never at the same time as a beat.
    void between(Runnable write) {
        lock.lock();
        try {
            write.run();
        } finally {
            lock.unlock();
        }
    }

    /// Why the stream was closed, if it was closed here.
    Optional<RuntimeException> gone() {
        lock.lock();
        try {
            return gone;
        } finally {
            lock.unlock();
        }
    }

    /// No beat follows.
    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
        } finally {
            lock.unlock();
        }
        beating.cancel(false);
    }
}
