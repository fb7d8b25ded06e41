package dev.capsem.process.session;

import java.time.Duration;
import java.util.function.BiConsumer;

/// Times the stages of a start, each from the end of the one before it.
final class Stopwatch {
    private final BiConsumer<String, Duration> told;
    private final SerialLog log;
    private long last = System.nanoTime();

    Stopwatch(BiConsumer<String, Duration> told, SerialLog log) {
        this.told = told;
        this.log = log;
    }

    synchronized void stage(String name) {
        long now = System.nanoTime();
        Duration took = Duration.ofNanos(now - last);
        told.accept(name, took);
        log.stage(name, took);
        last = System.nanoTime();
    }

    /// A stage that the agent timed, and wrote to its console itself.
    synchronized void told(String name, Duration took) {
        told.accept(name, took);
    }
}
