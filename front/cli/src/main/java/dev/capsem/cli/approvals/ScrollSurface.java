package dev.capsem.cli.approvals;

import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.RawTerminal;
import dev.capsem.cli.screen.RawTerminal.Size;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.ApprovalQuestion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A box on stderr beside a command without a terminal of its own: on a screen of its own, or, where the terminal has
/// none, between the lines. Question and answer stay as a line. Single keys are read only while a question is up.
final class ScrollSurface implements Surface {
    private static final int CHUNK = 64;
    /// Shorter than anybody notices.
    private static final Duration KEY_POLL = Duration.ofMillis(30);

    private static final Duration ANSWER_POLL = Duration.ofMillis(2);

    private final Screen screen;
    private final OwnScreen own;
    private final PlainLines plain = new PlainLines();
    private Keys keys = (typed, length) -> false;

    /// Guards the field below, and every read from the terminal: two readers would wait for one key.
    private final Object reading = new Object();

    private @Nullable RawTerminal raw;

    ScrollSurface(Screen screen) {
        this.screen = screen;
        this.own = new OwnScreen(screen.err(), this::size);
    }

    @Override
    public void listen(Keys listener) {
        keys = listener;
    }

    @Override
    public boolean show(ApprovalQuestion question, int others, Instant now) {
        screen.out().flush();
        RawTerminal terminal;
        try {
            terminal = RawTerminal.forKeys();
        } catch (UncheckedIOException unusable) {
            screen.remark("capsem: " + unusable.getMessage());
            return false;
        }
        synchronized (reading) {
            raw = terminal;
        }
        if (screen.isDumb()) {
            int columns = terminal.size().columns();
            plain.lines(screen.errInk(), columns, question, others, now).forEach(screen::remark);
            screen.err().flush();
        } else {
            refresh(question, others, now);
        }
        Thread.ofPlatform().daemon().name("keys").start(() -> readKeys(terminal));
        return true;
    }

    @Override
    public void refresh(ApprovalQuestion question, int others, Instant now) {
        // Without a screen of its own it says how long there was when it came up.
        if (!screen.isDumb()) {
            own.draw(new QuestionBox(screen.errInk(), own.columns()).lines(question, others, now));
        }
    }

    @Override
    public void hide() {
        own.leave();
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
    public void over(ApprovalQuestion question, String told) {
        String subject = screen.isDumb() ? " " : "capsem: " + Printable.line(question.subject());
        screen.remark(subject + " → " + Printable.line(told));
    }

    @Override
    public boolean isWhole() {
        return screen.isDumb() ? plain.isWhole() : own.isWhole();
    }

    @Override
    public void wrote(byte[] data) {
        plain.wrote(data);
        own.wrote(data);
    }

    /// Nobody reads keys now, so that this does.
    @Override
    public boolean quit() {
        if (screen.isDumb()) {
            return false;
        }
        screen.out().flush();
        own.undo();
        if (own.isAnswerDue()) {
            try (RawTerminal _ = RawTerminal.forKeys()) {
                own.askForLastWord();
                dropAnswers(System.nanoTime() + LastWord.PATIENCE.toNanos());
            } catch (UncheckedIOException | IOException unusable) {
                screen.remark("capsem: " + unusable.getMessage());
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return false;
    }

    private void dropAnswers(long until) throws IOException, InterruptedException {
        LastWord word = new LastWord();
        byte[] typed = new byte[CHUNK];
        while (!word.isSaid() && System.nanoTime() < until) {
            if (screen.in().available() > 0) {
                word.hear(typed, screen.in().read(typed));
            } else {
                Thread.sleep(ANSWER_POLL);
            }
        }
    }

    private Size size() {
        synchronized (reading) {
            return Optional.ofNullable(raw).map(RawTerminal::size).orElse(Size.USUAL);
        }
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
