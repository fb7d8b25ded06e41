package dev.capsem.cli.approvals;

import dev.capsem.cli.CliContext;
import dev.capsem.cli.client.ApprovalFeed;
import dev.capsem.cli.client.ApprovalFeed.Change;
import dev.capsem.cli.client.Question;
import dev.capsem.cli.screen.Screen;
import dev.capsem.wire.io.ServiceCallException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Attends to the questions of a sandbox while its command runs: shows one after the other, takes the answers, and
/// holds
/// back the guest's output meanwhile. Whatever goes wrong here approves nothing: a question without an answer is over
/// at
/// its deadline, and what it was about is blocked.
public final class Attendance implements AutoCloseable {
    /// Guest output kept while a question is up; more waits, and so does the guest.
    private static final int HELD_BYTES_MAX = 1024 * 1024;

    private static final Duration TICK = Duration.ofSeconds(1);
    /// A command that ends sooner pays nothing for questions it does not ask.
    private static final Duration PATIENCE_OF_SCRIPTS = Duration.ofMillis(250);

    private final CliContext context;
    private final Predicate<Question> isOurs;
    private final Surface surface;
    private final Thread follower;

    /// Guards everything below, and every write to the terminal.
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition shownChanged = lock.newCondition();
    private final Map<String, Question> waiting = new LinkedHashMap<>();
    private final List<Held> held = new ArrayList<>();
    private int heldBytes;
    private @Nullable Question shown;
    private @Nullable AnswerKeys keys;
    private @Nullable ApprovalFeed feed;
    private boolean isClosed;

    private record Held(OutputStream stream, byte[] data) {}

    private Attendance(CliContext context, Predicate<Question> isOurs, Surface surface) {
        this.context = context;
        this.isOurs = isOurs;
        this.surface = surface;
        this.follower = Thread.ofPlatform().daemon().name("approvals").unstarted(this::follow);
    }

    /// On a terminal that a guest program draws on, already in raw mode. Keys are offered by the caller.
    ///
    /// @param redraw makes that program draw its screen again
    public static Attendance onTerminal(CliContext context, String sandbox, IntSupplier columns, Runnable redraw) {
        var surface = new OverlaySurface(context.screen(), columns, redraw);
        return new Attendance(context, of(sandbox), surface).start();
    }

    /// Beside a command without a terminal of its own.
    public static Attendance beside(CliContext context, String sandbox) {
        return beside(context, of(sandbox));
    }

    static Attendance beside(CliContext context, Predicate<Question> isOurs) {
        Screen screen = context.screen();
        boolean canAsk = screen.terminals().in() && screen.terminals().err();
        Surface surface = canAsk ? new ScrollSurface(screen) : new RemarkSurface(screen);
        return new Attendance(context, isOurs, surface).start();
    }

    private static Predicate<Question> of(String sandbox) {
        return question -> question.sandbox().equals(sandbox);
    }

    private Attendance start() {
        surface.listen(this::take);
        follower.start();
        return this;
    }

    /// Waits until the service is gone.
    void awaitEnd() {
        try {
            follower.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// Writes what the guest printed, or keeps it until the question is answered. False when nobody reads it.
    public boolean write(OutputStream stream, byte[] data) {
        lock.lock();
        try {
            while (shown != null && heldBytes + data.length > HELD_BYTES_MAX && !isClosed) {
                shownChanged.awaitUninterruptibly();
            }
            if (shown != null && !isClosed) {
                held.add(new Held(stream, data));
                heldBytes += data.length;
                return true;
            }
            return writeNow(stream, data);
        } finally {
            lock.unlock();
        }
    }

    private boolean writeNow(OutputStream stream, byte[] data) {
        try {
            stream.write(data);
            stream.flush();
            surface.wrote(data);
            return !(stream instanceof PrintStream print && print.checkError());
        } catch (IOException closed) {
            return false;
        }
    }

    /// Whether the keys were for a question; if so the guest must not see them.
    public boolean take(byte[] typed, int length) {
        Question question;
        Optional<Answer> answer;
        lock.lock();
        try {
            Question up = shown;
            AnswerKeys reading = keys;
            if (up == null || reading == null || !surface.takesKeys()) {
                return false;
            }
            question = up;
            answer = reading.read(typed, length, now(), up.scopes());
        } finally {
            lock.unlock();
        }
        answer.ifPresent(given -> send(question, given));
        return true;
    }

    /// Without the lock: the service may take its time.
    private void send(Question question, Answer answer) {
        String told;
        try {
            answer.send(context, question.id());
            told = answer.told();
        } catch (ServiceCallException refused) {
            told = refused.error().error();
        }
        over(question.id(), told);
    }

    private void follow() {
        try {
            if (!surface.takesKeys()) {
                Thread.sleep(PATIENCE_OF_SCRIPTS);
            }
            if (isOver()) {
                return;
            }
            try (ApprovalFeed opened = context.service().approvals()) {
                if (!keep(opened)) {
                    return;
                }
                if (surface.takesKeys()) {
                    Thread.ofPlatform().daemon().name("approvals-clock").start(this::tick);
                }
                for (Optional<Change> change = opened.next(); change.isPresent(); change = opened.next()) {
                    take(change.get());
                }
            }
        } catch (ServiceCallException gone) {
            // Then nothing can be asked, and what would have been is blocked.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            forgetAll();
        }
    }

    private boolean keep(ApprovalFeed opened) {
        lock.lock();
        try {
            feed = opened;
            return !isClosed;
        } finally {
            lock.unlock();
        }
    }

    private void take(Change change) {
        switch (change) {
            case Change.Snapshot snapshot -> snapshot.pending().forEach(this::add);
            case Change.Asked asked -> add(asked.question());
            case Change.Resolved resolved -> over(resolved.id(), told(resolved));
        }
    }

    private static String told(Change.Resolved resolved) {
        return resolved.outcome().replace('_', ' ')
                + resolved.scope().map(scope -> ", " + scope).orElse("")
                + resolved.by().map(by -> ", by " + by).orElse("");
    }

    private void add(Question question) {
        lock.lock();
        try {
            if (!isOurs.test(question) || isClosed || waiting.putIfAbsent(question.id(), question) != null) {
                return;
            }
            if (surface.takesKeys()) {
                showNext();
            } else {
                surface.show(question, 0, now());
            }
        } finally {
            lock.unlock();
        }
    }

    private void over(String id, String told) {
        lock.lock();
        try {
            Question question = waiting.remove(id);
            if (question == null) {
                return;
            }
            boolean wasShown = shown != null && shown.id().equals(id);
            if (wasShown) {
                takeDown(() -> surface.over(question, told));
            } else if (!surface.takesKeys()) {
                surface.over(question, told);
            }
            showNext();
        } finally {
            lock.unlock();
        }
    }

    /// Requires: the lock.
    private void showNext() {
        if (!surface.takesKeys() || shown != null || isClosed || waiting.isEmpty()) {
            return;
        }
        Question next = waiting.values().iterator().next();
        shown = next;
        keys = new AnswerKeys(now());
        surface.show(next, waiting.size() - 1, now());
    }

    /// Requires: the lock.
    private void takeDown(Runnable beforeOutput) {
        shown = null;
        keys = null;
        surface.hide();
        beforeOutput.run();
        held.forEach(part -> writeNow(part.stream(), part.data()));
        held.clear();
        heldBytes = 0;
        shownChanged.signalAll();
    }

    private void tick() {
        try {
            while (true) {
                Thread.sleep(TICK);
                Optional<String> late = refresh();
                late.ifPresent(id -> over(id, "timed out"));
                if (isOver()) {
                    return;
                }
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /// The question whose time is up, should the service not say so.
    private Optional<String> refresh() {
        lock.lock();
        try {
            Question up = shown;
            if (up == null) {
                return Optional.empty();
            }
            Instant now = now();
            if (up.secondsLeft(now) == 0) {
                return Optional.of(up.id());
            }
            surface.refresh(up, waiting.size() - 1, now);
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private boolean isOver() {
        lock.lock();
        try {
            return isClosed;
        } finally {
            lock.unlock();
        }
    }

    private void forgetAll() {
        lock.lock();
        try {
            waiting.clear();
            if (shown != null) {
                takeDown(() -> {});
            }
        } finally {
            lock.unlock();
        }
    }

    private Instant now() {
        return context.clock().instant();
    }

    /// The command is over: what it printed last is written.
    @Override
    public void close() {
        ApprovalFeed opened;
        lock.lock();
        try {
            isClosed = true;
            opened = feed;
            forgetAll();
            shownChanged.signalAll();
        } finally {
            lock.unlock();
        }
        if (opened != null) {
            opened.close();
        }
    }
}
