package dev.capsem.telemetry.chain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.telemetry.Databases;
import dev.capsem.telemetry.Samples;
import dev.capsem.telemetry.chain.Verification.Broken;
import dev.capsem.telemetry.chain.Verification.Intact;
import dev.capsem.telemetry.chain.Verification.Problem;
import dev.capsem.telemetry.write.SessionWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Gaps, and links whose list of rows is not one.
class ChainGapsTest {
    @TempDir
    private Path directory = Path.of("replaced by JUnit");

    private Path file = Path.of("");
    private ChainHead head = ChainHead.EMPTY;

    @BeforeEach
    void record() {
        file = directory.resolve("session.db");
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            writer.note(new Samples().exec(1));
            writer.flush();
            head = writer.status().head();
        }
    }

    private String gapAfter(ChainHead before, long count, String detail) throws SQLException {
        SealBuffer seal = new SealBuffer();
        seal.startGap(before.seq() + 1, before.hash(), 5, count, "queue_full", detail);
        String hash = seal.hash();
        try (Connection connection = Databases.forWriting(file);
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO event_chain (seq, at_unix_ms, gap_count, gap_reason, gap_detail, prev_hash, hash)"
                                + " VALUES (?, 5, ?, 'queue_full', ?, ?, ?)")) {
            insert.setLong(1, before.seq() + 1);
            insert.setLong(2, count);
            insert.setString(3, detail);
            insert.setString(4, before.hash());
            insert.setString(5, hash);
            insert.executeUpdate();
        }
        return hash;
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = Databases.forWriting(file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    @Test
    void gapsAreCountedWithWhatWasLost() throws SQLException {
        ChainHead first = new ChainHead(head.seq() + 1, gapAfter(head, 4, "http.request=3 dns.request=1"));
        ChainHead second = new ChainHead(first.seq() + 1, gapAfter(first, 2, "http.request=2"));

        assertThat(ChainVerifier.verify(file))
                .isEqualTo(new Intact(1, 2, Map.of("http.request", 5L, "dns.request", 1L), second));
        assertThat(ChainVerifier.verify(file, second)).isInstanceOf(Intact.class);
    }

    @Test
    void aGapThatIsMadeSmallerShows() throws SQLException {
        gapAfter(head, 4, "http.request=4");
        execute("UPDATE event_chain SET gap_count = 1 WHERE gap_count = 4");

        assertThat(ChainVerifier.verify(file))
                .isInstanceOfSatisfying(
                        Broken.class, broken -> assertThat(broken.problem()).isEqualTo(Problem.ALTERED));
    }

    @Test
    void aListOfRowsThatIsNoneShows() throws SQLException {
        execute("UPDATE event_chain SET row_refs = 'exec:x'");

        assertThat(ChainVerifier.verify(file)).isInstanceOf(Broken.class);
    }

    @Test
    void aRowOfAnUnknownKindShows() throws SQLException {
        execute("UPDATE event_chain SET row_refs = 'nothing:1'");

        assertThat(ChainVerifier.verify(file))
                .isInstanceOfSatisfying(
                        Broken.class, broken -> assertThat(broken.problem()).isEqualTo(Problem.ROW_MISSING));
    }

    @Test
    void aValueOfAForeignTypeShows() throws SQLException {
        execute("UPDATE exec_events SET command = x'00ff'");

        assertThat(ChainVerifier.verify(file))
                .isInstanceOfSatisfying(
                        Broken.class, broken -> assertThat(broken.problem()).isEqualTo(Problem.ALTERED));
    }

    @Test
    void anEndThatIsMissingIsNamedWithItsNumber() throws SQLException {
        ChainHead kept = new ChainHead(head.seq() + 3, "f".repeat(64));

        assertThat(ChainVerifier.verify(file, kept))
                .isEqualTo(new Broken(head.seq() + 1, Problem.HEAD_MISMATCH, "link " + kept.seq(), "the end"));
    }
}
