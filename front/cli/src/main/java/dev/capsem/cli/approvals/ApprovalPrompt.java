package dev.capsem.cli.approvals;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.screen.RawTerminal.Size;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.ApprovalFeed;
import dev.capsem.client.ApprovalFeed.Change;
import dev.capsem.client.ApprovalQuestion;
import dev.capsem.client.io.ServiceCallException;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Attends to the questions of a sandbox while its command runs: shows one after the other, takes the answers, and
/// holds back the guest's output and other keys meanwhile. Whatever goes wrong here approves nothing: a question
/// without an answer is over at its deadline, and what it was about is blocked.
public final class ApprovalPrompt implements AutoCloseable {
    /// Guest output kept while a question is up; more waits, and so does the guest.
    private static final int HELD_BYTES_MAX = 1024 * 1024;

    private static final Duration TICK = Duration.ofSeconds(1);
    /// A question that comes sooner after one that went away may be taken for that one.
    private static final Duration SWAP_WITHIN = Duration.ofSeconds(10);

    private static final ApprovalQuestion.Detail SWAPPED = new ApprovalQuestion.Detail(
            "note", "ANOTHER QUESTION: the one before it was taken back before you answered");
    /// A command that ends sooner pays nothing for questions it does not ask.
    private static final Duration PATIENCE_OF_SCRIPTS = Duration.ofMillis(250);

    private final CliContext context;
    private final Supplier<ApprovalFeed> source;
    private final Thread follower;

    /// Guards everything below, and every write to the terminal.
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition shownChanged = lock.newCondition();
    private final Map<String, ApprovalQuestion> waiting = new LinkedHashMap<>();
    private final KeptKeys kept;
    private final List<Held> held = new ArrayList<>();
    private int heldBytes;
    private Surface surface;
    private @Nullable ApprovalQuestion shown;

    /// None while an answer is on its way.
    private @Nullable AnswerKeys keys;

    /// When a question went away that was up and not answered here: a guest can take one back and ask another in the
    /// moment in which a person presses the key.
    private Instant takenBackAt = Instant.EPOCH;

    /// Present once the command is over and the terminal may still answer it.
    private volatile Optional<LastWord> lastWord = Optional.empty();

    private @Nullable ApprovalFeed feed;
    private boolean isClosed;
    private boolean isServiceGone;

    private record Held(OutputStream stream, byte[] data) {}

    private ApprovalPrompt(
            CliContext context, Supplier<ApprovalFeed> source, Surface surface, KeptKeys.Program program) {
        this.context = context;
        this.source = source;
        this.surface = surface;
        this.kept = new KeptKeys(program);
        this.follower = Thread.ofPlatform().daemon().name("approvals").unstarted(this::follow);
    }

    /// On a terminal that a guest program draws on, already in raw mode. Keys are offered by the caller.
    ///
    /// @param feed of the sandbox's questions, opened before the program was started
    /// @param size how large the terminal is
    public static ApprovalPrompt onTerminal(
            CliContext context, WatchedFeed feed, Supplier<Size> size, GuestProgram program) {
        Screen screen = context.screen();
        Surface surface =
                screen.isDumb() ? new LineSurface(screen, size) : new OverlaySurface(screen, size, program::redraw);
        return new ApprovalPrompt(context, () -> feed, surface, program::input).start();
    }

    /// The program that draws on our terminal.
    public interface GuestProgram {
        void input(byte[] typed, int length);

        /// Draws its screen again.
        void redraw();
    }

    /// Beside a command without a terminal of its own, which starts afterwards: on our terminal somebody is then there
    /// to ask.
    public static ApprovalPrompt beside(CliContext context, String sandbox) {
        if (!canAsk(context.screen())) {
            return beside(context, () -> context.service().approvals(sandbox, false));
        }
        WatchedFeed feed = WatchedFeed.of(context.service(), sandbox);
        return beside(context, () -> feed);
    }

    /// Beside a command that nobody attends to: its questions are refused at once unless somebody else watches.
    public static ApprovalPrompt silent(CliContext context, String sandbox) {
        return beside(context, () -> context.service().approvals(sandbox, false), new RemarkSurface(context.screen()));
    }

    /// For the questions of all sandboxes.
    static ApprovalPrompt ofAll(CliContext context, WatchedFeed feed) {
        return beside(context, () -> feed);
    }

    private static ApprovalPrompt beside(CliContext context, Supplier<ApprovalFeed> source) {
        Screen screen = context.screen();
        return beside(context, source, canAsk(screen) ? new ScrollSurface(screen) : new RemarkSurface(screen));
    }

    /// A command without a terminal takes no keys.
    private static ApprovalPrompt beside(CliContext context, Supplier<ApprovalFeed> source, Surface surface) {
        return new ApprovalPrompt(context, source, surface, (typed, length) -> {}).start();
    }

    private static boolean canAsk(Screen screen) {
        return screen.terminals().in() && screen.terminals().err();
    }

    private ApprovalPrompt start() {
        surface.listen(this::take);
        follower.start();
        return this;
    }

    /// Waits until there is nothing to attend to. True if that is because the service is gone.
    boolean awaitEnd() {
        try {
            follower.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        lock.lock();
        try {
            return isServiceGone;
        } finally {
            lock.unlock();
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
            if (isTerminal(stream)) {
                surface.wrote(data);
            }
            return !(stream instanceof PrintStream print && print.checkError());
        } catch (IOException closed) {
            return false;
        }
    }

    private boolean isTerminal(OutputStream stream) {
        Screen screen = context.screen();
        return stream.equals(screen.err())
                ? screen.terminals().err()
                : screen.terminals().out();
    }

    /// Whether a question is up; if so the guest must not see the keys now. It gets those that are no answer later.
    public boolean take(byte[] typed, int length) {
        Optional<LastWord> leaving = lastWord;
        leaving.ifPresent(word -> word.hear(typed, length));
        if (leaving.isPresent()) {
            return true;
        }
        ApprovalQuestion question;
        ApprovalAnswer answer;
        lock.lock();
        try {
            ApprovalQuestion up = shown;
            if (up == null) {
                return false;
            }
            AnswerKeys reading = keys;
            Optional<ApprovalAnswer> given =
                    reading == null ? Optional.empty() : reading.read(typed, length, now(), up.scopes());
            if (given.isEmpty() || !(given.get() == ApprovalAnswer.DENY || surface.isWhole())) {
                keep(typed, length);
                return true;
            }
            question = up;
            answer = given.get();
            keys = null;
        } finally {
            lock.unlock();
        }
        if (AnswerKeys.isInterrupt(typed, length)) {
            interrupt();
            return false;
        }
        send(question, answer);
        return true;
    }

    /// Requires: the lock.
    private void keep(byte[] typed, int length) {
        if (!kept.keep(typed, length)) {
            context.screen().err().print("\u0007");
            context.screen().err().flush();
        }
    }

    /// Ctrl-C is for the program as well: what it asked for is denied, and what was typed before is void, as ever.
    private void interrupt() {
        List<ApprovalQuestion> all;
        lock.lock();
        try {
            kept.forget();
            all = List.copyOf(waiting.values());
            waiting.keySet().removeIf(id -> shown == null || !shown.id().equals(id));
        } finally {
            lock.unlock();
        }
        all.forEach(question -> send(question, ApprovalAnswer.DENY));
    }

    /// Without the lock: the service may take its time.
    private void send(ApprovalQuestion question, ApprovalAnswer answer) {
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
            boolean takesKeys = takesKeys();
            if (!takesKeys) {
                Thread.sleep(PATIENCE_OF_SCRIPTS);
            }
            if (isOver()) {
                return;
            }
            try (ApprovalFeed opened = source.get()) {
                if (!keep(opened)) {
                    return;
                }
                if (takesKeys) {
                    Thread.ofPlatform().daemon().name("approvals-clock").start(this::tick);
                }
                for (Optional<Change> change = opened.next(); change.isPresent(); change = opened.next()) {
                    take(change.get());
                }
            }
            serviceIsGone();
        } catch (ServiceCallException gone) {
            // Then nothing can be asked, and what would have been is blocked.
            serviceIsGone();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            forgetAll();
        }
    }

    private boolean takesKeys() {
        lock.lock();
        try {
            return surface.takesKeys();
        } finally {
            lock.unlock();
        }
    }

    private void serviceIsGone() {
        lock.lock();
        try {
            isServiceGone = !isClosed;
        } finally {
            lock.unlock();
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
            case Change.Resolved resolved -> over(resolved.id(), resolved.inWords());
        }
    }

    private void add(ApprovalQuestion question) {
        lock.lock();
        try {
            if (isClosed || waiting.putIfAbsent(question.id(), question) != null) {
                return;
            }
            if (surface.takesKeys()) {
                showNext();
            } else {
                tell(question);
            }
        } finally {
            lock.unlock();
        }
    }

    private void over(String id, String told) {
        lock.lock();
        try {
            ApprovalQuestion question = waiting.remove(id);
            if (question == null) {
                return;
            }
            boolean wasShown = shown != null && shown.id().equals(id);
            if (wasShown && keys != null) {
                takenBackAt = now();
            }
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
        boolean isSwapped = now().isBefore(takenBackAt.plus(SWAP_WITHIN));
        ApprovalQuestion first = waiting.values().iterator().next();
        ApprovalQuestion next = isSwapped ? first.noting(SWAPPED) : first;
        if (!surface.show(next, waiting.size() - 1, now())) {
            // This terminal gives us no single keys: whoever asks is told how to answer from another one.
            surface = new RemarkSurface(context.screen());
            waiting.values().forEach(this::tell);
            return;
        }
        shown = next;
        keys = new AnswerKeys(now(), isSwapped ? AnswerKeys.SWAPPED : AnswerKeys.QUIET);
    }

    /// Requires: the lock, and a surface without keys.
    private void tell(ApprovalQuestion question) {
        boolean _ = surface.show(question, 0, now());
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
        giveBackKeys();
        shownChanged.signalAll();
    }

    /// Requires: the lock, so that no key typed later overtakes them.
    private void giveBackKeys() {
        try {
            kept.giveBack();
        } catch (ServiceCallException over) {
            // The command ended first.
        }
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
            ApprovalQuestion up = shown;
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

    /// The command is over: what it printed last is written, and the terminal is as it was before.
    @Override
    public void close() {
        Optional<LastWord> leaving = Optional.empty();
        ApprovalFeed opened;
        lock.lock();
        try {
            boolean isFirst = !isClosed;
            isClosed = true;
            opened = feed;
            forgetAll();
            shownChanged.signalAll();
            if (isFirst) {
                lastWord = Optional.of(new LastWord());
                leaving = lastWord.filter(_ -> surface.quit());
                lastWord = leaving;
            }
        } finally {
            lock.unlock();
        }
        leaving.ifPresent(LastWord::await);
        if (opened != null) {
            opened.close();
        }
    }
}
