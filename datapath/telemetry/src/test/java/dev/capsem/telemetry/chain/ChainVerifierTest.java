package dev.capsem.telemetry.chain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.EventShapes;
import dev.capsem.events.row.RowShape;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.telemetry.Databases;
import dev.capsem.telemetry.Samples;
import dev.capsem.telemetry.chain.Verification.Broken;
import dev.capsem.telemetry.chain.Verification.Intact;
import dev.capsem.telemetry.chain.Verification.Missing;
import dev.capsem.telemetry.chain.Verification.Problem;
import dev.capsem.telemetry.write.SessionWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ChainVerifierTest {
    @TempDir
    Path directory;

    private final Samples samples = new Samples();
    private Path file = Path.of("");
    private ChainHead head = ChainHead.EMPTY;

    @BeforeEach
    void recordASession() {
        file = directory.resolve("session.db");
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            writer.note(samples.exec(1));
            writer.recordOrWait(samples.full());
            writer.note(samples.minimal());
            writer.note(samples.execEnd(1, 0));
            writer.recordOrWait(samples.net(FinalAction.BLOCK));
            writer.note(samples.files(3));
            writer.note(samples.exec(2));
            writer.flush();
            head = writer.status().head();
        }
    }

    @Test
    void findsAnUntouchedChainIntact() {
        assertThat(ChainVerifier.verify(file)).isEqualTo(new Intact(7, 0, Map.of(), head));
        assertThat(ChainVerifier.verify(file, head)).isInstanceOf(Intact.class);
    }

    @Test
    void findsAnEmptyChainIntact() {
        Path empty = directory.resolve("empty.db");
        SessionWriter.open(empty, Samples.IDENTITY, Samples.CLOCK).close();

        assertThat(ChainVerifier.verify(empty)).isEqualTo(new Intact(0, 0, Map.of(), ChainHead.EMPTY));
    }

    /// Property: whichever sealed value of whichever row is changed, it shows. Every column is tried once, on a row
    /// picked by a printed seed.
    @Test
    void detectsAnySingleChangedValue() throws SQLException, IOException {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<String> unnoticed = new ArrayList<>();
        for (RowShape shape : EventShapes.ALL) {
            List<String> columns = new ArrayList<>(shape.columns());
            columns.removeAll(shape.unsealed());
            shape.parentColumn().ifPresent(columns::add);
            for (String column : columns) {
                long id = pick(shape.table(), random);
                if (!changeIsNoticed(shape.table(), column, id)) {
                    unnoticed.add(shape.table() + "." + column + " of row " + id);
                }
            }
        }

        assertThat(unnoticed).isEmpty();
    }

    /// Columns that came later are sealed where they say something: what became of a question can neither be changed
    /// nor taken away, nor can an answer be made up for something that nobody was asked.
    @Test
    void detectsAnAnswerThatIsChangedTakenAwayOrMadeUp() throws SQLException, IOException {
        for (String change : List.of(
                "UPDATE dns_events SET policy_outcome = 'denied' WHERE policy_outcome = 'approved'",
                "UPDATE mcp_calls SET policy_outcome = NULL WHERE policy_outcome = 'approved'",
                "UPDATE net_events SET policy_outcome = 'approved' WHERE policy_outcome IS NULL",
                "UPDATE security_events SET subject = 'GET https://other.example' WHERE subject IS NOT NULL",
                "UPDATE security_events SET reason = subject, subject = reason WHERE subject IS NOT NULL",
                "UPDATE security_events SET caller_path = NULL WHERE caller_path IS NOT NULL",
                "UPDATE security_events SET caller_script = NULL WHERE caller_script IS NOT NULL")) {
            Path copy = copy();
            assertThat(execute(copy, change)).as(change).isPositive();

            assertThat(ChainVerifier.verify(copy))
                    .as(change)
                    .isInstanceOfSatisfying(
                            Broken.class, broken -> assertThat(broken.problem()).isEqualTo(Problem.ALTERED));
        }
    }

    private boolean changeIsNoticed(String table, String column, long id) throws SQLException, IOException {
        Path copy = copy();
        String other = "CASE WHEN typeof(" + column + ") IN ('integer', 'real') THEN " + column + " + 1000 WHEN typeof("
                + column + ") = 'text' THEN " + column + " || 'x' ELSE 'x' END";
        execute(copy, "UPDATE " + table + " SET " + column + " = " + other + " WHERE id = " + id);
        return ChainVerifier.verify(copy) instanceof Broken;
    }

    @Test
    void detectsAnySingleRemovedOrAddedRow() throws SQLException, IOException {
        for (RowShape shape : EventShapes.ALL) {
            Path removed = copy();
            execute(
                    removed,
                    "DELETE FROM " + shape.table() + " WHERE id = (SELECT min(id) FROM " + shape.table() + ")");
            assertThat(ChainVerifier.verify(removed))
                    .as("removed " + shape.table())
                    .isInstanceOf(Broken.class);
            if (shape.completes()) {
                continue;
            }

            Path added = copy();
            execute(
                    added,
                    "CREATE TEMP TABLE one AS SELECT * FROM " + shape.table() + " LIMIT 1",
                    "UPDATE one SET id = 1000000",
                    // Give unique columns another value, whatever they are called.
                    shape.columns().contains("event_id") ? "UPDATE one SET event_id = 'ev-new'" : "SELECT 1",
                    shape.columns().contains("finding_id") ? "UPDATE one SET finding_id = 'f-new'" : "SELECT 1",
                    shape.columns().contains("interaction_id") ? "UPDATE one SET interaction_id = NULL" : "SELECT 1",
                    shape.columns().contains("step_index") ? "UPDATE one SET step_index = 99" : "SELECT 1",
                    shape.columns().contains("tag_index") ? "UPDATE one SET tag_index = 99" : "SELECT 1",
                    shape.table().equals("ai_model_interactions")
                            ? "UPDATE one SET interaction_id = 'i-new'"
                            : "SELECT 1",
                    "INSERT INTO " + shape.table() + " SELECT * FROM one");
            assertThat(ChainVerifier.verify(added)).as("added " + shape.table()).isInstanceOf(Broken.class);
        }
    }

    @Test
    void detectsAnyChangedLink() throws SQLException, IOException {
        for (String column : List.of("at_unix_ms", "event_id", "row_refs", "prev_hash", "hash")) {
            Path copy = copy();
            execute(copy, "UPDATE event_chain SET " + column + " = " + column + " || '1' WHERE seq = 3");

            assertThat(ChainVerifier.verify(copy))
                    .as(column)
                    .isInstanceOfSatisfying(
                            Broken.class, broken -> assertThat(broken.seq()).isEqualTo(3));
        }
    }

    @Test
    void detectsARemovedLink() throws SQLException {
        execute(file, "DELETE FROM event_chain WHERE seq = 3");

        assertThat(ChainVerifier.verify(file)).isEqualTo(new Broken(3, Problem.LINK_MISSING, "link 3", "link 4"));
    }

    @Test
    void detectsSwappedLinks() throws SQLException {
        execute(
                file,
                "UPDATE event_chain SET seq = -1 WHERE seq = 3",
                "UPDATE event_chain SET seq = 3 WHERE seq = 4",
                "UPDATE event_chain SET seq = 4 WHERE seq = -1");

        assertThat(ChainVerifier.verify(file))
                .isInstanceOfSatisfying(
                        Broken.class, broken -> assertThat(broken.problem()).isEqualTo(Problem.NOT_LINKED));
    }

    @Test
    void detectsAnEndThatWasCutOffIfTheHeadIsKnown() throws SQLException {
        execute(
                file,
                "DELETE FROM event_chain WHERE seq = 7",
                "DELETE FROM security_events WHERE id = (SELECT max(id) FROM security_events)",
                "DELETE FROM exec_events WHERE exec_id = 2");

        assertThat(ChainVerifier.verify(file)).isInstanceOf(Intact.class);
        assertThat(ChainVerifier.verify(file, head))
                .isInstanceOfSatisfying(
                        Broken.class, broken -> assertThat(broken.problem()).isEqualTo(Problem.HEAD_MISMATCH));
    }

    @Test
    void detectsARebuiltChainIfTheHeadIsKnown() {
        Path rebuilt = directory.resolve("rebuilt.db");
        try (SessionWriter writer = SessionWriter.open(rebuilt, Samples.IDENTITY, Samples.CLOCK)) {
            for (int i = 0; i < 10; i++) {
                writer.note(samples.exec(i));
            }
        }

        assertThat(ChainVerifier.verify(rebuilt)).isInstanceOf(Intact.class);
        assertThat(ChainVerifier.verify(rebuilt, head))
                .isInstanceOfSatisfying(
                        Broken.class, broken -> assertThat(broken.seq()).isEqualTo(7));
    }

    @Test
    void acceptsAChainThatGrewSinceTheHeadWasKept() {
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            writer.note(samples.exec(3));
        }

        assertThat(ChainVerifier.verify(file, head)).isInstanceOf(Intact.class);
    }

    @Test
    void saysWhenThereIsNothingToCheck() throws IOException {
        Path text =
                Files.writeString(directory.resolve("text"), "not a database, but long enough to look at".repeat(99));

        assertThat(ChainVerifier.verify(directory.resolve("none"))).isInstanceOf(Missing.class);
        assertThat(ChainVerifier.verify(text)).isInstanceOf(Missing.class);
    }

    private Path copy() throws IOException {
        Path copy = Files.createTempFile(directory, "copy", ".db");
        Files.write(copy, Files.readAllBytes(file));
        return copy;
    }

    private long pick(String table, Random random) throws SQLException {
        try (Connection connection = Databases.forReading(file);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id FROM " + table)) {
            List<Long> ids = new ArrayList<>();
            while (rows.next()) {
                ids.add(rows.getLong(1));
            }
            return ids.get(random.nextInt(ids.size()));
        }
    }

    /// How many rows the last statement changed.
    private static int execute(Path database, String... statements) throws SQLException {
        try (Connection connection = Databases.forWriting(database);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("PRAGMA foreign_keys = 0");
            statement.executeUpdate("PRAGMA ignore_check_constraints = 1");
            int changed = 0;
            for (String sql : statements) {
                statement.execute(sql);
                changed = statement.getUpdateCount();
            }
            return changed;
        }
    }
}
