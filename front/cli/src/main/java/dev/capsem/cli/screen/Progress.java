package dev.capsem.cli.screen;

import java.time.Duration;
import java.util.function.Supplier;

/// A spinner on stderr for work that takes longer than a moment. Silent when stderr is no terminal, or none that can
/// erase a line, and when a program reads the answer.
public final class Progress implements AutoCloseable {
    /// Quick answers show no spinner at all: a flicker helps nobody.
    private static final Duration PATIENCE = Duration.ofMillis(600);

    private static final Duration TURN = Duration.ofMillis(120);
    private static final String FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";

    private final Screen screen;
    private final String what;
    private final Thread thread;

    private Progress(Screen screen, String what) {
        this.screen = screen;
        this.what = what;
        this.thread = Thread.ofPlatform().daemon().name("progress").unstarted(this::spin);
    }

    /// Close it when the work is done; nothing remains on the screen.
    public static Progress of(Screen screen, String what) {
        var progress = new Progress(screen, what);
        if (screen.showsProgress()) {
            progress.thread.start();
        }
        return progress;
    }

    /// The same around one call.
    public static <T> T during(Screen screen, String what, Supplier<T> work) {
        try (var _ = of(screen, what)) {
            return work.get();
        }
    }

    private void spin() {
        try {
            Thread.sleep(PATIENCE);
            for (int turn = 0; ; turn++) {
                screen.err().print("\r" + FRAMES.charAt(turn % FRAMES.length()) + " " + what + " …");
                screen.err().flush();
                Thread.sleep(TURN);
            }
        } catch (InterruptedException done) {
            screen.err().print("\r\u001b[K");
            screen.err().flush();
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
    }
}
