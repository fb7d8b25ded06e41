package dev.capsem.network.http;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// The timer of an exchange: the wait and its consequence.
final class ExchangeTimer {
    private final EventLoop loop;
    private Optional<ScheduledFuture<?>> running = Optional.empty();
    private Optional<ScheduledFuture<?>> beside = Optional.empty();
    private long lastProgressNanos = System.nanoTime();

    ExchangeTimer(EventLoop loop) {
        this.loop = loop;
    }

    /// In place of what was waited for before.
    void within(Duration time, Runnable otherwise) {
        stopRunning();
        running = Optional.of(loop.schedule(otherwise, time.toMillis(), TimeUnit.MILLISECONDS));
    }

    /// From now on [#progressed] must be heard at least that often.
    void progressWithin(Duration time, Runnable otherwise) {
        stopRunning();
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

    /// Beside what else is waited for.
    void beside(Duration time, Runnable otherwise) {
        beside = Optional.of(loop.schedule(otherwise, time.toMillis(), TimeUnit.MILLISECONDS));
    }

    void stop() {
        stopRunning();
        beside.ifPresent(timer -> timer.cancel(false));
        beside = Optional.empty();
    }

    private void stopRunning() {
        running.ifPresent(timer -> timer.cancel(false));
        running = Optional.empty();
    }
}
