package dev.capsem.telemetry.chain;

import dev.capsem.events.EventShapes;
import dev.capsem.events.row.RowShape;
import dev.capsem.telemetry.Databases;
import dev.capsem.telemetry.RowRefs;
import dev.capsem.telemetry.SessionSchema;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.chain.Verification.Broken;
import dev.capsem.telemetry.chain.Verification.Intact;
import dev.capsem.telemetry.chain.Verification.Missing;
import dev.capsem.telemetry.chain.Verification.Problem;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Checks that a session.db still says what its writer wrote: walks the chain, computes every hash again from the
/// rows themselves, and counts that nothing lies beside it.
///
/// Without a head kept elsewhere it cannot see two things: that the newest links were cut off together with all
/// their rows, and that somebody rebuilt the whole chain (the hashes are not keyed). With one it sees both, up to
/// that head.
public final class ChainVerifier {
    private static final String ENDED_COMMANDS = "SELECT count(*) FROM exec_events WHERE exit_code IS NOT NULL"
            + " OR duration_ms IS NOT NULL OR stdout_preview IS NOT NULL OR stderr_preview IS NOT NULL"
            + " OR stdout_bytes IS NOT 0 OR stderr_bytes IS NOT 0";

    private static final Map<String, RowShape> SHAPES =
            EventShapes.ALL.stream().collect(Collectors.toUnmodifiableMap(RowShape::kind, Function.identity()));

    private final Connection connection;
    private final SealBuffer seal = new SealBuffer();
    private final Map<String, PreparedStatement> readers = new HashMap<>();
    private final Map<String, Long> sealedRows = new HashMap<>();

    private ChainVerifier(Connection connection) {
        this.connection = connection;
    }

    public static Verification verify(Path sessionDb) {
        return check(sessionDb, null);
    }

    /// @param kept the head as it was when the session ended or later, from a place its author cannot reach
    public static Verification verify(Path sessionDb, ChainHead kept) {
        return check(sessionDb, kept);
    }

    private static Verification check(Path sessionDb, @Nullable ChainHead kept) {
        try (Connection connection = Databases.forReading(sessionDb)) {
            // One transaction: the check sees one state, even while a sandbox is writing.
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("BEGIN");
            }
            return new ChainVerifier(connection).walk(kept);
        } catch (TelemetryException e) {
            return new Missing("there is no session database to read");
        } catch (SQLException e) {
            return new Missing("it cannot be read as a session database (SQLite error " + e.getErrorCode() + ")");
        }
    }

    private Verification walk(@Nullable ChainHead kept) throws SQLException {
        ChainHead head = ChainHead.EMPTY;
        long events = 0;
        long gaps = 0;
        Map<String, Long> lost = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet links = statement.executeQuery("SELECT seq, at_unix_ms, event_id, gap_count, gap_reason,"
                        + " gap_detail, row_refs, prev_hash, hash FROM event_chain ORDER BY seq")) {
            while (links.next()) {
                Optional<Broken> problem = checkLink(links, head);
                if (problem.isPresent()) {
                    return problem.get();
                }
                head = new ChainHead(links.getLong("seq"), links.getString("hash"));
                if (kept != null && kept.seq() == head.seq() && !kept.hash().equals(head.hash())) {
                    return new Broken(head.seq(), Problem.HEAD_MISMATCH, kept.hash(), head.hash());
                }
                long gap = links.getLong("gap_count");
                events += gap == 0 ? 1 : 0;
                gaps += gap == 0 ? 0 : 1;
                if (gap > 0) {
                    Losses.counts(textOf(links, "gap_detail"), gap)
                            .forEach((kind, count) -> lost.merge(kind, count, Long::sum));
                }
            }
        }
        if (kept != null && kept.seq() > head.seq()) {
            return new Broken(head.seq() + 1, Problem.HEAD_MISMATCH, "link " + kept.seq(), "the end");
        }
        Optional<Broken> beside = checkNothingBeside(head);
        return beside.isPresent() ? beside.get() : new Intact(events, gaps, lost, head);
    }

    private Optional<Broken> checkLink(ResultSet link, ChainHead before) throws SQLException {
        long seq = link.getLong("seq");
        long expectedSeq = before.seq() + 1;
        if (seq != expectedSeq) {
            return broken(expectedSeq, Problem.LINK_MISSING, "link " + expectedSeq, "link " + seq);
        }
        String previous = textOf(link, "prev_hash");
        if (!previous.equals(before.hash())) {
            return broken(seq, Problem.NOT_LINKED, before.hash(), previous);
        }
        long gap = link.getLong("gap_count");
        if (gap != 0) {
            seal.startGap(
                    seq,
                    previous,
                    link.getLong("at_unix_ms"),
                    gap,
                    textOf(link, "gap_reason"),
                    textOf(link, "gap_detail"));
        } else {
            seal.startEvent(seq, previous, link.getLong("at_unix_ms"), textOf(link, "event_id"));
            Optional<Broken> problem = sealRows(seq, textOf(link, "row_refs"));
            if (problem.isPresent()) {
                return problem;
            }
        }
        String expected = seal.hash();
        String found = textOf(link, "hash");
        return expected.equals(found) ? Optional.empty() : broken(seq, Problem.ALTERED, expected, found);
    }

    private Optional<Broken> sealRows(long seq, String rowRefs) throws SQLException {
        try {
            for (RowRefs.Ref ref : RowRefs.parse(rowRefs)) {
                RowShape shape = SHAPES.get(ref.kind());
                if (shape == null || !sealRow(shape, ref.id())) {
                    return broken(seq, Problem.ROW_MISSING, ref.kind() + " row " + ref.id(), "no such row");
                }
                sealedRows.merge(shape.kind(), 1L, Long::sum);
            }
            return Optional.empty();
        } catch (NumberFormatException e) {
            return broken(seq, Problem.ALTERED, "a list of rows", "another text");
        }
    }

    private boolean sealRow(RowShape shape, long id) throws SQLException {
        PreparedStatement reader = readers.get(shape.kind());
        if (reader == null) {
            Set<String> present = columnsOf(shape.table());
            if (present.isEmpty()) {
                return false;
            }
            reader = connection.prepareStatement(select(shape, present));
            readers.put(shape.kind(), reader);
        }
        reader.setLong(1, id);
        try (ResultSet row = reader.executeQuery()) {
            if (!row.next()) {
                return false;
            }
            seal.startRow(shape.kind(), id);
            ResultSetMetaData columns = row.getMetaData();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                Object value = row.getObject(i);
                String column = columns.getColumnName(i);
                if (!shape.added().contains(column)) {
                    sealValue(value);
                } else if (value != null) {
                    seal.text(column);
                    sealValue(value);
                }
            }
            return true;
        }
    }

    private void sealValue(@Nullable Object value) {
        switch (value) {
            case null -> seal.absent();
            case String text -> seal.text(text);
            case Double real -> seal.real(real);
            case Integer number -> seal.integer(number);
            case Long number -> seal.integer(number);
            default -> seal.foreign();
        }
    }

    /// A record of before lacks columns that were added since.
    private Set<String> columnsOf(String table) throws SQLException {
        Set<String> names = new HashSet<>();
        try (PreparedStatement statement = connection.prepareStatement("SELECT name FROM pragma_table_info(?)")) {
            statement.setString(1, table);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    names.add(row.getString(1));
                }
            }
        }
        return names;
    }

    private static String select(RowShape shape, Set<String> present) {
        StringBuilder columns = new StringBuilder();
        shape.parentColumn().ifPresent(column -> columns.append(column).append(", "));
        shape.columns().stream()
                .filter(column -> !shape.unsealed().contains(column))
                .filter(column -> !shape.added().contains(column) || present.contains(column))
                .forEach(column -> columns.append(column).append(", "));
        columns.setLength(columns.length() - 2);
        return "SELECT " + columns + " FROM " + shape.table() + " WHERE id = ?";
    }

    /// Each row is sealed by one link, so if there are as many rows as sealed ones, there are no others. In the
    /// same way there must be no ended commands whose end no link seals.
    private Optional<Broken> checkNothingBeside(ChainHead head) throws SQLException {
        for (RowShape shape : EventShapes.ALL) {
            long sealedCount = sealedRows.getOrDefault(shape.kind(), 0L);
            long count = count(shape);
            if (count != sealedCount) {
                return broken(
                        head.seq(), Problem.UNSEALED_ROWS, sealedCount + " rows of " + shape.kind(), count + " rows");
            }
        }
        return Optional.empty();
    }

    private long count(RowShape shape) throws SQLException {
        if (!SessionSchema.has(connection, shape.table())) {
            return 0;
        }
        String sql = shape.completes() ? ENDED_COMMANDS : "SELECT count(*) FROM " + shape.table();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    private static Optional<Broken> broken(long seq, Problem problem, String expected, String found) {
        return Optional.of(new Broken(seq, problem, expected, found));
    }

    private static String textOf(ResultSet row, String column) throws SQLException {
        String text = row.getString(column);
        return text == null ? "" : text;
    }
}
