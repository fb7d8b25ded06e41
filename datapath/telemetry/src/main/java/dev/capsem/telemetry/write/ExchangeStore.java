package dev.capsem.telemetry.write;

import dev.capsem.events.RecordedExchange;
import dev.capsem.events.row.AuditRow;
import dev.capsem.events.row.ExecCompletion;
import dev.capsem.events.row.McpExecutionEvidence;
import dev.capsem.events.row.McpRow;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.row.Projection;
import dev.capsem.events.row.Row;
import dev.capsem.events.row.RowShape;
import dev.capsem.events.row.SnapshotRow;
import dev.capsem.events.vocabulary.Timestamps;
import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.telemetry.Databases;
import dev.capsem.telemetry.RowRefs;
import dev.capsem.telemetry.SessionIdentity;
import dev.capsem.telemetry.SessionSchema;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.chain.ChainHead;
import dev.capsem.telemetry.chain.SealBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// One open session.db, as its writer thread uses it: transactions, prepared statements, row numbers and the head
/// of the chain. Not safe for more than one thread.
final class ExchangeStore implements AutoCloseable {
    private static final String ADD_LINK = "INSERT INTO event_chain"
            + " (seq, at_unix_ms, event_id, gap_count, gap_reason, gap_detail, row_refs, prev_hash, hash)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String FIND_RUNNING_COMMAND =
            "SELECT max(id) FROM exec_events WHERE exec_id = ? AND exit_code IS NULL";
    private static final String FIND_COMMAND = "SELECT max(id) FROM exec_events WHERE exec_id = ?";
    private static final String COVER_SNAPSHOT = "UPDATE snapshot_events SET"
            + " start_fs_event_id = (SELECT coalesce(max(stop_fs_event_id), 0) FROM snapshot_events WHERE id < ?1),"
            + " stop_fs_event_id = (SELECT coalesce(max(id), 0) FROM fs_events) WHERE id = ?1";

    private final Connection connection;
    private final Statement plain;
    private final Map<String, PreparedStatement> statements = new HashMap<>();
    private final Map<String, RowWriter> writers = new HashMap<>();
    private final Map<String, Long> lastIds = new HashMap<>();
    private final SealBuffer seal = new SealBuffer();
    private final RowRefs refs = new RowRefs();
    private final CallLinks links = new CallLinks(this::prepared);
    private final InstantSource clock;
    private final StoredText texts;
    private ChainHead head;

    /// Why events are missing, as `event_chain.gap_reason` says it.
    enum GapReason {
        QUEUE_FULL("queue_full"),
        REJECTED("rejected"),
        LOST("lost");

        private final String wireName;

        GapReason(String wireName) {
            this.wireName = wireName;
        }
    }

    private ExchangeStore(Connection connection, InstantSource clock, StoredText texts) throws SQLException {
        this.connection = connection;
        this.clock = clock;
        this.texts = texts;
        this.plain = connection.createStatement();
        this.head = ChainHead.of(connection);
        try (ResultSet rows = plain.executeQuery("SELECT name, seq FROM sqlite_sequence")) {
            while (rows.next()) {
                lastIds.put(rows.getString(1), rows.getLong(2));
            }
        }
    }

    static ExchangeStore open(Path file, SessionIdentity identity, InstantSource clock, StoredText texts) {
        Connection connection = Databases.forWriting(file);
        try {
            SessionSchema.install(connection);
            ExchangeStore store = new ExchangeStore(connection, clock, texts);
            store.identify(identity);
            return store;
        } catch (SQLException e) {
            throw new TelemetryException(
                    TelemetryException.Code.OPEN_FAILED,
                    "cannot open " + file.getFileName(),
                    "check that it is a session database and that the disk has space",
                    e);
        }
    }

    private void identify(SessionIdentity identity) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO session_identity"
                + " (id, updated_at, vm_id, profile_id, user_id) VALUES (1, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
                + " updated_at = excluded.updated_at, vm_id = excluded.vm_id, profile_id = excluded.profile_id,"
                + " user_id = excluded.user_id")) {
            statement.setString(1, Timestamps.text(clock.instant()));
            statement.setString(2, identity.sandboxId());
            statement.setString(3, identity.profileId());
            statement.setString(4, identity.userId());
            statement.executeUpdate();
        }
    }

    Connection connection() {
        return connection;
    }

    ChainHead head() {
        return head;
    }

    void begin() throws SQLException {
        plain.executeUpdate("BEGIN IMMEDIATE");
    }

    void commit() throws SQLException {
        plain.executeUpdate("COMMIT");
    }

    /// Back to where the transaction began, whatever state it is in; `chain` is the head as it was then.
    void rollback(ChainHead chain) {
        head = chain;
        forgetStatements();
        try {
            plain.executeUpdate("ROLLBACK");
        } catch (SQLException e) {
            // SQLite ends a transaction by itself on some errors; then there is nothing left to undo.
        }
    }

    /// Like [#write], but what an exchange leaves half done when it fails is undone, and the transaction goes on.
    void writeAlone(RecordedExchange exchange) throws SQLException {
        ChainHead before = head;
        plain.executeUpdate("SAVEPOINT exchange");
        try {
            write(exchange);
        } catch (SQLException | RuntimeException e) {
            head = before;
            forgetStatements();
            plain.executeUpdate("ROLLBACK TO exchange");
            plain.executeUpdate("RELEASE exchange");
            throw e;
        }
        plain.executeUpdate("RELEASE exchange");
    }

    /// Adds the event, its rows and the link that seals them to the open transaction.
    void write(RecordedExchange exchange) throws SQLException {
        long seq = head.seq() + 1;
        long now = clock.millis();
        String eventId = exchange.event().id().value();
        refs.clear();
        seal.startEvent(seq, head.hash(), now, eventId);
        write(exchange.event(), Optional.empty(), 0);
        writeRows(exchange.rows());
        String hash = seal.hash();
        PreparedStatement link = prepared(ADD_LINK);
        link.setLong(1, seq);
        link.setLong(2, now);
        link.setString(3, eventId);
        link.setLong(4, 0);
        link.setNull(5, Types.VARCHAR);
        link.setNull(6, Types.VARCHAR);
        link.setString(7, refs.text());
        link.setString(8, head.hash());
        link.setString(9, hash);
        link.executeUpdate();
        head = new ChainHead(seq, hash);
    }

    private void writeRows(List<Projection> rows) throws SQLException {
        long mcpCallId = 0;
        Optional<TraceId> mcpTrace = Optional.empty();
        for (Projection row : rows) {
            long id = write(row instanceof AuditRow start ? underItsCommand(start) : row, Optional.empty(), 0);
            if (row instanceof McpRow call) {
                mcpCallId = id;
                mcpTrace = call.traceId();
            } else if (row instanceof McpExecutionEvidence evidence) {
                links.executed(mcpCallId, mcpTrace, id, evidence);
            } else if (row instanceof ModelRow call) {
                links.asked(id, call);
            }
        }
    }

    /// Adds a link that admits to a loss.
    void writeGap(GapReason reason, long count, String detail) throws SQLException {
        long seq = head.seq() + 1;
        long now = clock.millis();
        seal.startGap(seq, head.hash(), now, count, reason.wireName, detail);
        String hash = seal.hash();
        PreparedStatement link = prepared(ADD_LINK);
        link.setLong(1, seq);
        link.setLong(2, now);
        link.setNull(3, Types.VARCHAR);
        link.setLong(4, count);
        link.setString(5, reason.wireName);
        link.setString(6, detail);
        link.setString(7, "");
        link.setString(8, head.hash());
        link.setString(9, hash);
        link.executeUpdate();
        head = new ChainHead(seq, hash);
    }

    private long write(Row row, Optional<String> parentKey, long parentId) throws SQLException {
        RowShape shape = row.shape();
        long id = row instanceof ExecCompletion completion ? execRow(completion.execId()) : nextId(shape.table());
        writer(shape).write(row, id, parentKey, parentId, seal);
        refs.add(shape.kind(), id);
        if (row instanceof SnapshotRow) {
            PreparedStatement coverSnapshot = prepared(COVER_SNAPSHOT);
            coverSnapshot.setLong(1, id);
            coverSnapshot.executeUpdate();
        }
        for (Row child : row.children()) {
            write(child, row.key(), id);
        }
        return id;
    }

    private AuditRow underItsCommand(AuditRow start) throws SQLException {
        if (start.execId().isEmpty()) {
            return start;
        }
        PreparedStatement find = prepared(FIND_COMMAND);
        find.setLong(1, start.execId().getAsLong());
        try (ResultSet row = find.executeQuery()) {
            long id = row.next() ? row.getLong(1) : 0;
            return start.of(id == 0 ? OptionalLong.empty() : OptionalLong.of(id));
        }
    }

    /// Numbers are ours to give: this is the file's only writer, and asking SQLite for each would double the work.
    /// One that a rollback leaves unused is not used again.
    private long nextId(String table) {
        return lastIds.merge(table, 1L, Long::sum);
    }

    /// The newest command with that id which has not ended: what a link has sealed is not written again.
    private long execRow(long execId) throws SQLException {
        PreparedStatement find = prepared(FIND_RUNNING_COMMAND);
        find.setLong(1, execId);
        try (ResultSet row = find.executeQuery()) {
            long id = row.next() ? row.getLong(1) : 0;
            if (id == 0) {
                throw new IllegalStateException("a command ended that never began");
            }
            return id;
        }
    }

    private RowWriter writer(RowShape shape) throws SQLException {
        RowWriter writer = writers.get(shape.kind());
        if (writer == null) {
            writer = new RowWriter(connection, shape, texts);
            writers.put(shape.kind(), writer);
        }
        return writer;
    }

    private PreparedStatement prepared(String sql) throws SQLException {
        PreparedStatement statement = statements.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            statements.put(sql, statement);
        }
        return statement;
    }

    /// sqlite-jdbc gives up a statement on which SQLite reported a full disk or worse; it cannot be used again, and
    /// nothing tells which one it was.
    private void forgetStatements() {
        try {
            for (RowWriter writer : writers.values()) {
                writer.close();
            }
            for (PreparedStatement statement : statements.values()) {
                statement.close();
            }
        } catch (SQLException e) {
            // Closing reports the failure that led here once more.
        }
        writers.clear();
        statements.clear();
    }

    /// Moves everything from the log into the database file, so that the file alone is complete.
    void checkpoint() throws SQLException {
        plain.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    }

    long pages() throws SQLException {
        try (ResultSet row = plain.executeQuery("PRAGMA page_count")) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    void limitPages(long pages) throws SQLException {
        plain.execute("PRAGMA max_page_count = " + pages);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
