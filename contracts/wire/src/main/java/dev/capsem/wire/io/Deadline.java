package dev.capsem.wire.io;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channel;
import java.time.Duration;

/// Closes a channel when its time is up, unless the deadline itself is closed first: Unix-socket channels have no
/// timeouts of their own.
public final class Deadline implements AutoCloseable {
    private final Thread timer;
    private volatile boolean expired;

    private Deadline(Channel channel, Duration time) {
        this.timer = Thread.ofVirtual().name("deadline").unstarted(() -> expire(channel, time));
    }

    public static Deadline of(Channel channel, Duration time) {
        Deadline deadline = new Deadline(channel, time);
        deadline.timer.start();
        return deadline;
    }

    public boolean isExpired() {
        return expired;
    }

    @Override
    public void close() {
        timer.interrupt();
    }

    private void expire(Channel channel, Duration time) {
        try {
            Thread.sleep(time);
            expired = true;
            channel.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
