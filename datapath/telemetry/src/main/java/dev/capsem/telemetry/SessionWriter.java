package dev.capsem.telemetry;

import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.telemetry.ExchangeStore.GapReason;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Stores exchanges in session.db: many threads hand in, one thread writes, in batches. What was committed survives
/// `kill -9`. A disk that fails never holds up allowed traffic: the batch is kept and tried again, the queue fills, and
/// what
/// does not fit is counted.
public final class SessionWriter implements EventSink, AutoCloseable {
    /// How long [#flush] and the like wait for the writer's thread; it is only ever late when the disk is.
    private static final Duration ORDER_WAIT = Duration.ofSeconds(30);

    /// Whoever copies the file should be done by then; after it the writer goes on, so that nothing waits for ever.
    private static final Duration HOLD_MAX = Duration.ofMinutes(2);

    private static final Duration IDLE_WAIT = Duration.ofSeconds(1);
    private static final Duration FULL_QUEUE_WAIT = Duration.ofMillis(100);
    private static final int PAGE_BYTES = 4_096;
    private static final Logger LOG = LoggerFactory.getLogger(SessionWriter.class);

    private final WriterSettings settings;
    private final InstantSource clock;
    private final ArrayBlockingQueue<Item> queue;
    private final Losses losses = new Losses();
    private final AtomicInteger handingIn = new AtomicInteger();
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong rejected = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private final Thread thread;
    private final long lastExecId;

    private volatile boolean closed;
    private volatile Optional<WriterStatus.Problem> problem = Optional.empty();
    private volatile Committed committed;
    private volatile long pagesMax;

    // Of the writer's thread only.
    private ExchangeStore store;
    private Path file;
    private SessionIdentity identity;
    private long pagesLimited;
    private long lostUnadmitted;
    private final SessionTally tally;

    private sealed interface Item {}

    private record Exchange(RecordedExchange value) implements Item {}

    /// Something to do between two batches, when everything handed in before has been stored.
    private record Order(Work work, CompletableFuture<Void> done) implements Item {}

    /// Wakes the thread up, so that it notices that it should end.
    private record Wake() implements Item {}

    private interface Work {
        void run() throws SQLException;
    }

    private record Committed(Map<String, Long> counters, ChainHead head) {}

    private SessionWriter(
            ExchangeStore store, Path file, SessionIdentity identity, InstantSource clock, WriterSettings settings)
            throws SQLException {
        this.store = store;
        this.file = file;
        this.identity = identity;
        this.clock = clock;
        this.settings = settings;
        this.queue = new ArrayBlockingQueue<>(settings.queueCapacity());
        // An empty chain means empty tables: a new sandbox need not count them.
        this.tally = store.head().seq() == 0 ? new SessionTally() : SessionTally.read(store.connection());
        this.committed = new Committed(tally.byName(), store.head());
        this.lastExecId = readLastExecId(store);
        this.pagesMax = settings.databaseBytesMax() / PAGE_BYTES;
        this.thread = new Thread(this::writeUntilClosed, "session-writer");
    }

    /// Opens the database, making it if need be, and starts the thread.
    public static SessionWriter open(
            Path file, SessionIdentity identity, InstantSource clock, WriterSettings settings) {
        ExchangeStore store = ExchangeStore.open(file, identity, clock);
        try {
            SessionWriter writer = new SessionWriter(store, file, identity, clock, settings);
            writer.thread.start();
            return writer;
        } catch (SQLException e) {
            throw new TelemetryException(
                    TelemetryException.Code.OPEN_FAILED,
                    "cannot read " + file.getFileName(),
                    "the file is damaged: move it away",
                    e);
        }
    }

    public static SessionWriter open(Path file, SessionIdentity identity, InstantSource clock) {
        return open(file, identity, clock, WriterSettings.DEFAULT);
    }

    @Override
    public Receipt offer(RecordedExchange exchange) {
        if (!exchange.event().isDroppable()) {
            throw new IllegalArgumentException("an event that must not be lost was offered as one that may");
        }
        return handIn(exchange, false);
    }

    @Override
    public Receipt recordOrWait(RecordedExchange exchange) {
        return handIn(exchange, true);
    }

    private Receipt handIn(RecordedExchange exchange, boolean wait) {
        Item item = new Exchange(exchange);
        while (true) {
            // Counted before `closed` is read: once closed, the thread ends only when nobody is between these two
            // lines.
            handingIn.incrementAndGet();
            try {
                if (closed) {
                    return Receipt.REFUSED;
                }
                boolean accepted =
                        wait ? queue.offer(item, FULL_QUEUE_WAIT.toMillis(), TimeUnit.MILLISECONDS) : queue.offer(item);
                if (accepted) {
                    return Receipt.ACCEPTED;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                losses.add(exchange.event().type());
                return Receipt.REFUSED;
            } finally {
                handingIn.decrementAndGet();
            }
            if (!wait) {
                losses.add(exchange.event().type());
                return Receipt.DROPPED;
            }
        }
    }

    public WriterStatus status() {
        Committed now = committed;
        return new WriterStatus(
                problem,
                queue.size(),
                written.get(),
                losses.all(),
                rejected.get(),
                lost.get(),
                now.counters(),
                now.head());
    }

    /// The highest exec id that the database held when it was opened; new commands are numbered from the next one.
    public long lastExecId() {
        return lastExecId;
    }

    /// Returns when everything that was handed in before is committed.
    public void flush() {
        order(() -> {});
    }

    /// Like [#flush], and session.db alone then holds everything, without its log.
    public void checkpoint() {
        order(() -> store.checkpoint());
    }

    /// Checkpoints and then leaves the file alone until the hold is released, so that it can be copied. Meanwhile
    /// exchanges
    /// queue up.
    public Hold hold() {
        CompletableFuture<Void> still = new CompletableFuture<>();
        CompletableFuture<Void> released = new CompletableFuture<>();
        CompletableFuture<Void> order = submit(() -> {
            store.checkpoint();
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

    /// Closes the database, lets `move` rename its directory, and goes on at the new place, under a new identity. If
    /// `move`
    /// fails, goes on at the old place and throws.
    public void relocate(Path newFile, SessionIdentity newIdentity, Runnable move) {
        order(() -> {
            store.checkpoint();
            store.close();
            try {
                move.run();
                file = newFile;
                identity = newIdentity;
            } catch (RuntimeException e) {
                throw new TelemetryException(
                        TelemetryException.Code.NOT_RELOCATED,
                        "the session directory could not be renamed",
                        "the sandbox goes on under its old name",
                        e);
            } finally {
                reopen();
            }
        });
    }

    private void reopen() {
        store = ExchangeStore.open(file, identity, clock);
        pagesLimited = 0;
    }

    /// Takes effect with the next attempt to write, also while the disk counts as full.
    void limitPages(long pages) {
        pagesMax = pages;
    }

    /// Stores what was handed in, folds the log into the file and ends the thread. Safe to call twice.
    @Override
    public void close() {
        closed = true;
        queue.offer(new Wake());
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void order(Work work) {
        await(submit(work), () -> {});
    }

    private CompletableFuture<Void> submit(Work work) {
        Order order = new Order(work, new CompletableFuture<>());
        handingIn.incrementAndGet();
        try {
            if (closed) {
                throw new TelemetryException(
                        TelemetryException.Code.CLOSED, "the event writer is closed", "the sandbox has ended");
            }
            if (!queue.offer(order, ORDER_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw notInTime();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw notInTime();
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
        List<Item> items = new ArrayList<>(settings.batchMax());
        List<RecordedExchange> batch = new ArrayList<>(settings.batchMax());
        try {
            while (!mayEnd()) {
                items.clear();
                Item first = queue.poll(IDLE_WAIT.toMillis(), TimeUnit.MILLISECONDS);
                if (first != null) {
                    items.add(first);
                    queue.drainTo(items, settings.batchMax() - 1);
                    process(items, batch);
                } else {
                    writeOrKeepTrying(batch);
                }
            }
            store.checkpoint();
            store.close();
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

    private void process(List<Item> items, List<RecordedExchange> batch) throws InterruptedException {
        for (Item item : items) {
            switch (item) {
                case Exchange exchange -> batch.add(exchange.value());
                case Order order -> {
                    writeOrKeepTrying(batch);
                    carryOut(order);
                }
                case Wake wake -> {}
            }
        }
        writeOrKeepTrying(batch);
    }

    private void carryOut(Order order) {
        try {
            order.work().run();
            order.done().complete(null);
        } catch (SQLException | RuntimeException e) {
            order.done().completeExceptionally(e);
        }
    }

    private void writeOrKeepTrying(List<RecordedExchange> batch) throws InterruptedException {
        Duration pause = settings.retryFirst();
        long giveUpAt = 0;
        while (true) {
            try {
                write(batch);
                batch.clear();
                if (problem.isPresent()) {
                    LOG.info("session.db can be written again");
                    problem = Optional.empty();
                }
                return;
            } catch (SQLException e) {
                if (problem.isEmpty()) {
                    LOG.error("session.db cannot be written, trying again: {}", SqliteFailure.code(e));
                }
                problem = Optional.of(SqliteFailure.problem(e));
            } catch (TelemetryException e) {
                problem = Optional.of(new WriterStatus.Problem(
                        e.code().name(), "session.db cannot be opened again", "look at its directory"));
            } catch (RuntimeException e) {
                // A bug of ours must not end the recording of everything else.
                LOG.error("{} events could not be stored", batch.size(), e);
                lost.addAndGet(batch.size());
                lostUnadmitted += batch.size();
                batch.clear();
                return;
            }
            if (closed) {
                giveUpAt =
                        giveUpAt == 0 ? System.nanoTime() + settings.closeWait().toNanos() : giveUpAt;
                if (System.nanoTime() - giveUpAt >= 0) {
                    lost.addAndGet(batch.size());
                    LOG.error("session.db stayed unwritable until the end: {} events lost", batch.size());
                    batch.clear();
                    return;
                }
            }
            Thread.sleep(pause);
            Duration doubled = pause.multipliedBy(2);
            pause = doubled.compareTo(settings.retryLongest()) < 0 ? doubled : settings.retryLongest();
        }
    }

    /// One transaction for all; if a row spoils it, once more with each exchange on its own.
    private void write(List<RecordedExchange> batch) throws SQLException {
        if (store.connection().isClosed()) {
            reopen(); // A move failed halfway and left us without a file.
        }
        if (pagesLimited != pagesMax) {
            pagesLimited = pagesMax;
            store.limitPages(pagesLimited);
        }
        Map<EventType, Long> gap = losses.take();
        if (batch.isEmpty() && gap.isEmpty()) {
            return;
        }
        ChainHead before = store.head();
        try {
            try {
                commit(batch, gap, false);
            } catch (SQLException e) {
                if (!SqliteFailure.isRowsFault(e)) {
                    throw e;
                }
                store.rollback(before);
                commit(batch, gap, true);
            } catch (RuntimeException e) {
                store.rollback(before);
                commit(batch, gap, true);
            }
        } catch (SQLException | RuntimeException e) {
            store.rollback(before);
            losses.giveBack(gap);
            throw e;
        }
    }

    private void commit(List<RecordedExchange> batch, Map<EventType, Long> gap, boolean alone) throws SQLException {
        SessionTally added = new SessionTally();
        long refused = 0;
        store.begin();
        if (!gap.isEmpty()) {
            long count = gap.values().stream().mapToLong(Long::longValue).sum();
            store.writeGap(GapReason.QUEUE_FULL, count, Losses.detail(gap));
        }
        if (lostUnadmitted > 0) {
            store.writeGap(GapReason.LOST, lostUnadmitted, "");
        }
        for (RecordedExchange exchange : batch) {
            if (!alone) {
                store.write(exchange);
                added.add(exchange);
            } else if (isStoredAlone(exchange)) {
                added.add(exchange);
            } else {
                refused++;
                store.writeGap(GapReason.REJECTED, 1, exchange.event().type().wireName() + "=1");
            }
        }
        store.commit();
        lostUnadmitted = 0;
        tally.addAll(added);
        committed = new Committed(tally.byName(), store.head());
        rejected.addAndGet(refused);
        written.addAndGet(batch.size() - refused);
    }

    private boolean isStoredAlone(RecordedExchange exchange) throws SQLException {
        try {
            store.writeAlone(exchange);
            return true;
        } catch (SQLException e) {
            if (!SqliteFailure.isRowsFault(e)) {
                throw e;
            }
            LOG.error(
                    "the database refused {} {}: {}",
                    exchange.event().type().wireName(),
                    exchange.event().id(),
                    SqliteFailure.code(e));
        } catch (RuntimeException e) {
            LOG.error(
                    "{} {} cannot be stored: {}",
                    exchange.event().type().wireName(),
                    exchange.event().id(),
                    e.getClass().getSimpleName());
        }
        return false;
    }

    private static long readLastExecId(ExchangeStore store) throws SQLException {
        try (Statement statement = store.connection().createStatement();
                ResultSet row = statement.executeQuery("SELECT coalesce(max(exec_id), 0) FROM exec_events")) {
            return row.next() ? row.getLong(1) : 0;
        }
    }
}
