package dev.capsem.process.session;

import java.time.Duration;
import java.util.function.BiConsumer;

/// Times the stages of a start, each from the end of the one before it.
final class Stopwatch {
    private final BiConsumer<String, Duration> told;
    private long last = System.nanoTime();

    Stopwatch(BiConsumer<String, Duration> told) {
        this.told = told;
    }

    synchronized void stage(String name) {
        long now = System.nanoTime();
        told.accept(name, Duration.ofNanos(now - last));
        last = now;
    }

    /// A stage that somebody else timed.
    synchronized void told(String name, Duration took) {
        told.accept(name, took);
    }
}
