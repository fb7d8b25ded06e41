package dev.capsem.telemetry.write;

import dev.capsem.events.Admission;
import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.telemetry.SessionIdentity;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.chain.Losses;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stores exchanges in session.db: many threads hand in, one thread writes, in batches. What was committed survives
/// `kill -9`. While the disk fails the batch is kept and tried again, and nothing new is admitted; what was admitted
/// before always finds room in the queue.
public final class SessionWriter implements EventSink, AutoCloseable {
    /// How long [#flush] and the like wait for the writer's thread; it is only ever late when the disk is.
    private static final Duration ORDER_WAIT = Duration.ofSeconds(30);

    /// The limit for copying the file; after it the writer goes on, so that nothing waits for ever.
    private static final Duration HOLD_MAX = Duration.ofMinutes(2);

    private static final Duration IDLE_WAIT = Duration.ofSeconds(1);
    private static final Duration FULL_QUEUE_WAIT = Duration.ofMillis(20);

    /// The batch size while the reserve is used up, so that as much as possible of it is put to use.
    private static final int PIECE_MAX = 32;

    private static final Logger LOG = LoggerFactory.getLogger(SessionWriter.class);

    private final WriterSettings settings;
    private final BatchWriter batches;
    private final Losses losses;
    private final Losses turnedAway;
    /// Without a bound of its own: only what was admitted gets in when it is full, and that is bounded.
    private final LinkedBlockingQueue<QueueItem> queue = new LinkedBlockingQueue<>();

    private final AdmissionDesk desk;
    private final BatchPace pace;
    private final AtomicInteger handingIn = new AtomicInteger();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;
    private volatile boolean closed;
    private volatile Optional<WriterStatus.Problem> problem = Optional.empty();

    /// When to stop trying after `close`; 0 = not closed yet. Of the writer's thread only.
    private long giveUpAtNanos;

    /// Whether the reason of this problem is on record already: the reserve is too small to say it often.
    private boolean isReasonWritten;

    /// The sandbox is over and its record stayed full: from now on only its last words are written.
    private boolean isGivenUp;

    /// The problem, or the one before.
    private Optional<WriterStatus.Problem> lastProblem = Optional.empty();

    private SessionWriter(BatchWriter batches, Losses losses, Losses turnedAway, WriterSettings settings) {
        this.batches = batches;
        this.losses = losses;
        this.turnedAway = turnedAway;
        this.settings = settings;
        this.desk = new AdmissionDesk(settings.queueCapacity(), settings.admissionWait(), queue::size, turnedAway);
        this.pace = new BatchPace(settings.batchGap());
        this.thread = new Thread(this::writeUntilClosed, "session-writer");
    }

    /// Opens the database, making it if need be, and starts the thread.
    public static SessionWriter open(
            Path file, SessionIdentity identity, InstantSource clock, WriterSettings settings) {
        return open(file, identity, clock, settings, text -> text);
    }

    /// @param clean takes out of each text what must not be on record
    public static SessionWriter open(
            Path file, SessionIdentity owner, InstantSource clock, WriterSettings limits, UnaryOperator<String> clean) {
        Losses losses = new Losses();
        Losses turnedAway = new Losses();
        StoredText texts = new StoredText(clean);
        BatchWriter batches = BatchWriter.open(file, owner, clock, losses, turnedAway, limits, texts);
        SessionWriter writer = new SessionWriter(batches, losses, turnedAway, limits);
        writer.thread.start();
        return writer;
    }

    public static SessionWriter open(Path file, SessionIdentity identity, InstantSource clock) {
        return open(file, identity, clock, WriterSettings.DEFAULT);
    }

    @Override
    public CompletableFuture<Admission> admit(EventType kind) {
        return desk.admit(kind);
    }

    @Override
    public Admission admitNow(EventType kind) {
        return desk.admitNow(kind);
    }

    @Override
    public Receipt record(RecordedExchange exchange, Admission.Place place) {
        return handIn(exchange);
    }

    @Override
    public Receipt note(RecordedExchange exchange) {
        if (desk.hasRoom()) {
            return handIn(exchange);
        }
        turnedAway.add(exchange.event().type());
        return Receipt.DROPPED;
    }

    @Override
    public Receipt keep(RecordedExchange exchange) {
        if (!exchange.event().isLifecycle()) {
            throw new IllegalArgumentException("an event that may wait was handed in as one that may not");
        }
        return handIn(exchange);
    }

    @Override
    public Receipt offer(RecordedExchange exchange) {
        if (!exchange.event().isObservation()) {
            throw new IllegalArgumentException("an event that must not be lost was offered as one that may");
        }
        if (desk.hasRoom()) {
            return handIn(exchange);
        }
        losses.add(exchange.event().type());
        return Receipt.DROPPED;
    }

    @Override
    public Receipt recordOrWait(RecordedExchange exchange) {
        try {
            while (!desk.hasRoom() && !closed) {
                Thread.sleep(FULL_QUEUE_WAIT);
            }
            return handIn(exchange);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            losses.add(exchange.event().type());
            return Receipt.REFUSED;
        }
    }

    private Receipt handIn(RecordedExchange exchange) {
        // Counted before `closed` is read: once closed, the thread ends only when nobody is between these two lines.
        handingIn.incrementAndGet();
        try {
            if (closed || !queue.offer(new QueueItem.Exchange(exchange))) {
                return Receipt.REFUSED;
            }
            if (exchange.event().isActedOn() || queue.size() >= enough()) {
                pace.hurry();
            }
            return Receipt.ACCEPTED;
        } finally {
            handingIn.decrementAndGet();
        }
    }

    /// How many in the queue do not wait for more to join them.
    private int enough() {
        return Math.min(settings.batchMax(), (settings.queueCapacity() + 1) / 2);
    }

    public WriterStatus status() {
        BatchWriter.Totals now = batches.totals();
        return new WriterStatus(
                problem,
                queue.size(),
                now.written(),
                losses.all(),
                turnedAway.all(),
                now.rejected(),
                now.lost(),
                now.counters(),
                now.head());
    }

    /// The highest exec id that the database held when it was opened; new commands are numbered from the next one.
    public long lastExecId() {
        return batches.lastExecId();
    }

    /// Returns when everything that was handed in before is committed.
    public void flush() {
        order(() -> {});
    }

    /// Like [#flush], and session.db alone then holds everything, without its log.
    public void checkpoint() {
        order(batches::checkpoint);
    }

    /// Checkpoints and then leaves the file alone until the hold is released, so that it can be copied. Meanwhile
    /// exchanges queue up.
    public Hold hold() {
        CompletableFuture<Void> still = new CompletableFuture<>();
        CompletableFuture<Void> released = new CompletableFuture<>();
        CompletableFuture<Void> order = submit(() -> {
            batches.checkpoint();
            still.complete(null);
            released.completeOnTimeout(null, HOLD_MAX.toSeconds(), TimeUnit.SECONDS)
                    .join();
        });
        await(CompletableFuture.anyOf(still, order), () -> released.complete(null));
        return () -> released.complete(null);
    }

    /// The writer's thread holds still until somebody lets it go on.
    public interface Hold {
        void release();
    }

    /// Closes the database, lets `move` rename its directory, and goes on at the new place, under a new identity.
    /// If `move` fails, goes on at the old place and throws.
    public void relocate(Path newFile, SessionIdentity newIdentity, Runnable move) {
        order(() -> batches.relocate(newFile, newIdentity, move));
    }

    void limitPages(long pages) {
        batches.limitPages(pages);
    }

    /// Stores what was handed in, folds the log into the file and ends the thread. Safe to call twice.
    @Override
    public void close() {
        closed = true;
        desk.close();
        closing.countDown();
        queue.add(new QueueItem.Wake());
        pace.hurry();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void order(QueueItem.Work work) {
        await(submit(work), () -> {});
    }

    private CompletableFuture<Void> submit(QueueItem.Work work) {
        QueueItem.Order order = new QueueItem.Order(work, new CompletableFuture<>());
        handingIn.incrementAndGet();
        try {
            if (closed) {
                throw new TelemetryException(
                        TelemetryException.Code.CLOSED, "the event writer is closed", "the sandbox has ended");
            }
            queue.add(order);
            pace.hurry();
        } finally {
            handingIn.decrementAndGet();
        }
        return order.done();
    }

    private static void await(CompletableFuture<?> done, Runnable giveUp) {
        try {
            done.get(ORDER_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TelemetryException known) {
                throw known;
            }
            throw new TelemetryException(
                    TelemetryException.Code.NOT_FLUSHED, "session.db could not be brought up to date", "try again", e);
        } catch (TimeoutException e) {
            giveUp.run();
            throw notInTime();
        } catch (InterruptedException e) {
            giveUp.run();
            Thread.currentThread().interrupt();
            throw notInTime();
        }
    }

    private static TelemetryException notInTime() {
        return new TelemetryException(
                TelemetryException.Code.NOT_FLUSHED,
                "session.db was not brought up to date in time",
                "look at the sandbox's status: its disk may be full");
    }

    private void writeUntilClosed() {
        List<QueueItem> items = new ArrayList<>(settings.batchMax());
        List<RecordedExchange> batch = new ArrayList<>(settings.batchMax());
        try {
            writeOrKeepTrying(batch); // Takes the reserve.
            while (!mayEnd()) {
                items.clear();
                QueueItem first = queue.poll(IDLE_WAIT.toMillis(), TimeUnit.MILLISECONDS);
                if (first != null) {
                    pace.await();
                    items.add(first);
                    queue.drainTo(items, settings.batchMax() - 1);
                    desk.serve();
                    process(items, batch);
                } else {
                    writeOrKeepTrying(batch);
                }
            }
            batches.close();
        } catch (InterruptedException e) {
            LOG.warn("the session writer was interrupted and ends early");
        } catch (SQLException e) {
            LOG.warn("session.db was not closed cleanly: {}", SqliteFailure.code(e));
        }
    }

    /// The order matters: first nobody may be handing in any more, then nothing may be left.
    private boolean mayEnd() {
        return closed && handingIn.get() == 0 && queue.isEmpty();
    }

    private void process(List<QueueItem> items, List<RecordedExchange> batch) throws InterruptedException {
        for (QueueItem item : items) {
            switch (item) {
                case QueueItem.Exchange exchange -> batch.add(exchange.value());
                case QueueItem.Order order -> {
                    writeOrKeepTrying(batch);
                    carryOut(order);
                }
                case QueueItem.Wake _ -> {}
            }
        }
        writeOrKeepTrying(batch);
    }

    private void carryOut(QueueItem.Order order) {
        try {
            order.work().run();
            order.done().complete(null);
        } catch (SQLException | RuntimeException e) {
            order.done().completeExceptionally(e);
        }
    }

    private void writeOrKeepTrying(List<RecordedExchange> batch) throws InterruptedException {
        if (isGivenUp) {
            writeLastWords(batch);
            return;
        }
        Duration pause = settings.retryFirst();
        while (!isWritten(batch)) {
            if (closed && isTooLate()) {
                isGivenUp = true;
                spendRest();
                writeLastWords(batch);
                return;
            }
            if (closing.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                Thread.sleep(settings.retryFirst());
            }
            Duration doubled = pause.multipliedBy(2);
            pause = doubled.compareTo(settings.retryLongest()) < 0 ? doubled : settings.retryLongest();
        }
    }

    private void spendRest() {
        try {
            batches.spendRest();
        } catch (SQLException e) {
            LOG.error("the size limit of session.db cannot be raised: {}", SqliteFailure.code(e));
        }
    }

    /// What the host did with the sandbox, and how much is missing, from the rest of the reserve: whoever took the disk
    /// is gone by now.
    private void writeLastWords(List<RecordedExchange> batch) {
        List<RecordedExchange> lost = batch.stream()
                .filter(exchange -> !exchange.event().isLifecycle())
                .toList();
        batch.removeIf(exchange -> !exchange.event().isLifecycle());
        if (!lost.isEmpty()) {
            batches.giveUp(lost);
            LOG.error("session.db stayed unwritable until the end: {} events lost", lost.size());
        }
        try {
            write(batch);
        } catch (SQLException | RuntimeException e) {
            LOG.error("the last {} events could not be stored", batch.size(), e);
            batches.giveUp(batch);
            batch.clear();
        }
    }

    /// Whether the batch is done with: stored, or beyond help. False when the disk failed and may recover.
    private boolean isWritten(List<RecordedExchange> batch) {
        try {
            writeSomehow(batch);
            if (batches.hasReserve()) {
                recovered();
            } else if (problem.isEmpty()) {
                hindered(SqliteFailure.DISK_FULL);
            }
            return true;
        } catch (SQLException e) {
            hindered(problem(e));
            return false;
        } catch (TelemetryException e) {
            hindered(new WriterStatus.Problem(
                    e.code().name(), "session.db cannot be opened again", "look at its directory"));
            return false;
        } catch (RuntimeException e) {
            // A bug of ours must not end the recording of everything else.
            LOG.error("{} events could not be stored", batch.size(), e);
            batches.giveUp(batch);
            batch.clear();
            return true;
        }
    }

    private WriterStatus.Problem problem(SQLException failure) {
        try {
            return SqliteFailure.problem(failure, batches.isSizeLimit(failure));
        } catch (SQLException e) {
            return SqliteFailure.problem(failure, false);
        }
    }

    /// All at once; where there is no space for it, in pieces, and from the reserve.
    private void writeSomehow(List<RecordedExchange> batch) throws SQLException {
        try {
            write(batch);
            return;
        } catch (SQLException e) {
            if (!SqliteFailure.mayLackSpace(e)) {
                throw e;
            }
            hindered(problem(e));
            batches.spendReserve(e);
        }
        do {
            write(batch.subList(0, Math.min(batch.size(), PIECE_MAX)));
        } while (!batch.isEmpty());
    }

    private void write(List<RecordedExchange> some) throws SQLException {
        if (batches.write(some, hindrance())) {
            isReasonWritten = problem.isPresent();
            lastProblem = problem;
        }
        some.clear();
    }

    /// The cause that is recorded for refusals, now; absent if that has to wait.
    private Optional<String> hindrance() {
        return problem.isEmpty() || !isReasonWritten
                ? Optional.of(problem.or(() -> lastProblem)
                        .map(WriterStatus.Problem::cause)
                        .orElse("the queue was full"))
                : Optional.empty();
    }

    private void hindered(WriterStatus.Problem now) {
        if (problem.isEmpty()) {
            LOG.error("session.db cannot be written, nothing new is admitted: {} ({})", now.cause(), now.code());
        }
        problem = Optional.of(now);
        lastProblem = problem;
        desk.know(problem);
    }

    private void recovered() {
        if (problem.isPresent()) {
            LOG.info("session.db can be written again");
            problem = Optional.empty();
            isReasonWritten = false;
            desk.know(problem);
        }
    }

    /// The deadline is one for all that is left, not one for each batch.
    private boolean isTooLate() {
        if (giveUpAtNanos == 0) {
            giveUpAtNanos = System.nanoTime() + settings.closeWait().toNanos();
        }
        return System.nanoTime() - giveUpAtNanos >= 0;
    }
}
