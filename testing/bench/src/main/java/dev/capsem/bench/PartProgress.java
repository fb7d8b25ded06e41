package dev.capsem.bench;

import java.io.PrintStream;
import java.time.Duration;

/// Says on stderr which part is being measured and for how long: once a second in one line on a terminal, once in a
/// while elsewhere. What it costs is far below what a measurement shows.
final class PartProgress implements AutoCloseable {
    private static final Duration ON_TERMINAL = Duration.ofSeconds(1);
    private static final Duration ELSEWHERE = Duration.ofSeconds(30);

    private final PrintStream err;
    private final boolean isTerminal;
    private final String what;
    private final Duration every;
    private final Thread thread;

    PartProgress(boolean isTerminal, String what) {
        this(System.err, isTerminal, what, isTerminal ? ON_TERMINAL : ELSEWHERE);
    }

    PartProgress(PrintStream err, boolean isTerminal, String what, Duration every) {
        this.err = err;
        this.isTerminal = isTerminal;
        this.what = what;
        this.every = every;
        this.thread = Thread.ofPlatform().daemon().name("progress").start(this::tell);
    }

    private void tell() {
        long begun = System.nanoTime();
        try {
            while (true) {
                Thread.sleep(every);
                long seconds = Duration.ofNanos(System.nanoTime() - begun).toSeconds();
                String line = "measuring " + what + ", " + seconds + " s";
                err.print(isTerminal ? "\r\u001b[K" + line : line + "\n");
                err.flush();
            }
        } catch (InterruptedException done) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        if (isTerminal) {
            err.print("\r\u001b[K");
            err.flush();
        }
    }
}
