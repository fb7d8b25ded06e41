package dev.capsem.network.http;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// The one thing that an exchange waits for at a time, and what happens if it does not come.
final class ExchangeTimer {
    private final EventLoop loop;
    private Optional<ScheduledFuture<?>> running = Optional.empty();
    private long lastProgressNanos = System.nanoTime();

    ExchangeTimer(EventLoop loop) {
        this.loop = loop;
    }

    /// In place of what was waited for before.
    void within(Duration time, Runnable otherwise) {
        stop();
        running = Optional.of(loop.schedule(otherwise, time.toMillis(), TimeUnit.MILLISECONDS));
    }

    /// From now on [#progressed] must be heard at least that often.
    void progressWithin(Duration time, Runnable otherwise) {
        stop();
        progressed();
        check(time.toNanos(), otherwise);
    }

    void progressed() {
        lastProgressNanos = System.nanoTime();
    }

    private void check(long idleNanos, Runnable otherwise) {
        long left = idleNanos - (System.nanoTime() - lastProgressNanos);
        if (left <= 0) {
            otherwise.run();
        } else {
            running = Optional.of(loop.schedule(() -> check(idleNanos, otherwise), left, TimeUnit.NANOSECONDS));
        }
    }

    void stop() {
        running.ifPresent(timer -> timer.cancel(false));
        running = Optional.empty();
    }
}
