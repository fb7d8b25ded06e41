package dev.capsem.cli.approvals;

import dev.capsem.cli.client.Question;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.RawTerminal;
import dev.capsem.cli.screen.Screen;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A box on stderr between the lines of a command without a terminal of its own. It stays there, with its answer.
/// Single keys are read only while a question is up.
final class ScrollSurface implements Surface {
    /// When the terminal does not say.
    static final int COLUMNS_DEFAULT = 80;

    private static final int CHUNK = 64;
    /// Shorter than anybody notices.
    private static final Duration KEY_POLL = Duration.ofMillis(30);

    private final Screen screen;
    private Keys keys = (typed, length) -> false;

    /// Guards the field below, and every read from the terminal: two readers would wait for one key.
    private final Object reading = new Object();

    private @Nullable RawTerminal raw;

    ScrollSurface(Screen screen) {
        this.screen = screen;
    }

    @Override
    public void listen(Keys listener) {
        keys = listener;
    }

    @Override
    public boolean show(Question question, int others, Instant now) {
        screen.out().flush();
        RawTerminal terminal;
        try {
            terminal = RawTerminal.forKeys();
        } catch (UncheckedIOException unusable) {
            screen.remark("capsem: " + unusable.getMessage());
            return false;
        }
        int columns = Optional.of(terminal.size().columns())
                .filter(width -> width > 1)
                .orElse(COLUMNS_DEFAULT);
        new QuestionBox(screen.errInk(), columns).lines(question, others, now).forEach(screen::remark);
        screen.err().flush();
        synchronized (reading) {
            raw = terminal;
        }
        Thread.ofPlatform().daemon().name("keys").start(() -> readKeys(terminal));
        return true;
    }

    @Override
    public void refresh(Question question, int others, Instant now) {
        // It says how long there was when it came up; drawing again would mix with the output above.
    }

    @Override
    public void hide() {
        RawTerminal terminal;
        synchronized (reading) {
            terminal = raw;
            raw = null;
        }
        if (terminal != null) {
            terminal.close();
        }
    }

    @Override
    public void over(Question question, String told) {
        screen.remark("  → " + Printable.line(told));
    }

    @Override
    public boolean takesKeys() {
        return true;
    }

    private void readKeys(RawTerminal whileUp) {
        byte[] typed = new byte[CHUNK];
        try {
            for (int length = poll(whileUp, typed); length >= 0; length = poll(whileUp, typed)) {
                if (length == 0) {
                    Thread.sleep(KEY_POLL);
                } else {
                    keys.take(typed, length);
                }
            }
        } catch (IOException closed) {
            // The question is over at its deadline.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// Looks for keys instead of waiting for them: a read from a terminal cannot be taken back, and would swallow what
    /// is typed for the shell after the question. Below 0 when the question is over.
    private int poll(RawTerminal whileUp, byte[] typed) throws IOException {
        synchronized (reading) {
            if (raw != whileUp) {
                return -1;
            }
            return screen.in().available() > 0 ? screen.in().read(typed) : 0;
        }
    }
}
