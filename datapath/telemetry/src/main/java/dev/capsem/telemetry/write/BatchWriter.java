package dev.capsem.telemetry.write;

import dev.capsem.events.RecordedExchange;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.telemetry.SessionIdentity;
import dev.capsem.telemetry.SessionTally;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.chain.ChainHead;
import dev.capsem.telemetry.chain.Losses;
import dev.capsem.telemetry.write.ExchangeStore.GapReason;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Commits batches: one transaction each, in which a row that the database refuses costs only its own exchange.
/// Keeps the totals that others may look at; everything else is for the writer's thread only.
final class BatchWriter {
    private static final int PAGE_BYTES = 4_096;

    /// So far from its limit, a database that is full is full because of its limit, not because of the disk.
    private static final int PAGES_PER_BATCH = 4_096;

    private static final Logger LOG = LoggerFactory.getLogger(BatchWriter.class);

    private final InstantSource clock;
    private final Losses losses;
    private final Losses turnedAway;
    private final Refusals refusals;
    private final Reserve reserve;
    private final long reservePages;
    private final SessionTally tally;
    private final StoredText texts;
    private final long lastExecId;
    private ExchangeStore store;
    private Path file;
    private SessionIdentity identity;
    private long pagesLimited;
    private long lostUnadmitted;

    /// How far the file may grow while the reserve is used; 0 = it is not.
    private long pagesBeyond;

    private volatile long pagesMax;
    private volatile Totals totals;

    /// The commits so far.
    ///
    /// @param lost accepted, but given up
    record Totals(long written, long rejected, long lost, Map<String, Long> counters, ChainHead head) {}

    private BatchWriter(
            ExchangeStore store,
            Path file,
            SessionIdentity identity,
            InstantSource clock,
            Losses losses,
            Losses turnedAway,
            WriterSettings settings,
            StoredText texts)
            throws SQLException {
        this.store = store;
        this.texts = texts;
        this.file = file;
        this.identity = identity;
        this.clock = clock;
        this.losses = losses;
        this.turnedAway = turnedAway;
        this.refusals = new Refusals(clock);
        this.reserve = new Reserve(file, settings.reserveBytes());
        this.reservePages = settings.reserveBytes() / PAGE_BYTES;
        // An empty chain means empty tables: a new sandbox need not count them.
        this.tally = store.head().seq() == 0 ? new SessionTally() : SessionTally.read(store.connection());
        this.lastExecId = readLastExecId(store);
        this.pagesMax = settings.databaseBytesMax() / PAGE_BYTES;
        this.totals = new Totals(0, 0, 0, tally.byName(), store.head());
    }

    static BatchWriter open(
            Path file,
            SessionIdentity identity,
            InstantSource clock,
            Losses losses,
            Losses turnedAway,
            WriterSettings settings,
            StoredText texts) {
        ExchangeStore store = ExchangeStore.open(file, identity, clock, texts);
        try {
            return new BatchWriter(store, file, identity, clock, losses, turnedAway, settings, texts);
        } catch (SQLException e) {
            throw new TelemetryException(
                    TelemetryException.Code.OPEN_FAILED,
                    "cannot read " + file.getFileName(),
                    "the file is damaged: move it away",
                    e);
        }
    }

    Totals totals() {
        return totals;
    }

    long lastExecId() {
        return lastExecId;
    }

    /// Takes effect with the next attempt to write, also while the disk counts as full.
    void limitPages(long pages) {
        pagesMax = pages;
    }

    /// Admits that a batch will never be stored.
    void giveUp(List<RecordedExchange> batch) {
        lostUnadmitted += batch.size();
        Totals now = totals;
        totals = new Totals(now.written(), now.rejected(), now.lost() + batch.size(), now.counters(), now.head());
    }

    void checkpoint() throws SQLException {
        store.checkpoint();
    }

    void close() throws SQLException {
        reserve.giveUpRest();
        store.checkpoint();
        store.close();
    }

    /// Makes room for what was admitted before the disk was full, or the size limit reached.
    void spendReserve(SQLException full) throws SQLException {
        if (!isSizeLimit(full)) {
            reserve.giveUp();
        } else if (pagesBeyond == 0) {
            pagesBeyond = Math.max(pagesMax, store.pages()) + reservePages;
            applyLimit();
        }
    }

    /// Makes room for the last words: nothing else is written any more.
    void spendRest() throws SQLException {
        reserve.giveUpRest();
        pagesBeyond = Math.max(pagesBeyond, Math.max(pagesMax, store.pages())) + Reserve.REST_BYTES / PAGE_BYTES;
        applyLimit();
    }

    /// Whether there is as much space again as there should be: then what is new may begin.
    boolean hasReserve() throws SQLException {
        if (pagesBeyond > 0 && store.pages() <= pagesMax) {
            pagesBeyond = 0;
            applyLimit();
        }
        return pagesBeyond == 0 && reserve.take();
    }

    boolean isSizeLimit(SQLException full) throws SQLException {
        return SqliteFailure.mayLackSpace(full) && store.pages() + PAGES_PER_BATCH >= pagesMax;
    }

    private void applyLimit() throws SQLException {
        pagesLimited = pagesMax;
        store.limitPages(Math.max(pagesMax, pagesBeyond));
    }

    /// Closes the file, lets `move` rename its directory, and reopens it: at the new place, or at the old one if
    /// `move` fails.
    void relocate(Path newFile, SessionIdentity newIdentity, Runnable move) throws SQLException {
        close();
        try {
            move.run();
            file = newFile;
            identity = newIdentity;
            reserve.moved(newFile);
        } catch (RuntimeException e) {
            throw new TelemetryException(
                    TelemetryException.Code.NOT_RELOCATED,
                    "the session directory could not be renamed",
                    "the sandbox goes on under its old name",
                    e);
        } finally {
            reopen();
        }
    }

    private void reopen() {
        store = ExchangeStore.open(file, identity, clock, texts);
        pagesLimited = 0;
    }

    /// One transaction for all; if a row spoils it, once more with each exchange on its own.
    ///
    /// @param hindrance why others were refused; absent if those are to be written another time
    /// @return whether some of those were
    boolean write(List<RecordedExchange> batch, Optional<String> hindrance) throws SQLException {
        if (store.connection().isClosed()) {
            reopen(); // A move failed halfway and left us without a file.
        }
        if (pagesLimited != pagesMax) {
            applyLimit();
        }
        Map<EventType, Long> gap = losses.take();
        Map<EventType, Long> refused = hindrance.isPresent() ? turnedAway.take() : Map.of();
        if (batch.isEmpty() && gap.isEmpty() && refused.isEmpty() && lostUnadmitted == 0) {
            return false;
        }
        List<RecordedExchange> all = new ArrayList<>(batch);
        all.addAll(refusals.events(refused, hindrance.orElse(""), identity));
        ChainHead before = store.head();
        try {
            try {
                commit(all, gap, false);
            } catch (SQLException e) {
                if (!SqliteFailure.isRowsFault(e)) {
                    throw e;
                }
                store.rollback(before);
                commit(all, gap, true);
            } catch (RuntimeException e) {
                store.rollback(before);
                commit(all, gap, true);
            }
        } catch (SQLException | RuntimeException e) {
            store.rollback(before);
            losses.giveBack(gap);
            turnedAway.giveBack(refused);
            throw e;
        }
        return !refused.isEmpty();
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
        Totals before = totals;
        totals = new Totals(
                before.written() + batch.size() - refused,
                before.rejected() + refused,
                before.lost(),
                tally.byName(),
                store.head());
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
