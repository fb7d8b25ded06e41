package dev.capsem.telemetry.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.telemetry.Samples;
import dev.capsem.telemetry.SessionIdentity;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.chain.ChainVerifier;
import dev.capsem.telemetry.chain.Verification;
import dev.capsem.telemetry.read.SessionReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SessionMoveTest {
    @TempDir
    Path directory;

    private final Samples samples = new Samples();

    @Test
    void movesWithItsDirectory() throws Exception {
        Path oldHome = Files.createDirectory(directory.resolve("old"));
        Path newHome = directory.resolve("new");

        SessionWriter writer = SessionWriter.open(oldHome.resolve("session.db"), Samples.IDENTITY, Samples.CLOCK);
        writer.note(samples.exec(1));
        writer.relocate(
                newHome.resolve("session.db"),
                new SessionIdentity("named", "coding", "1000"),
                () -> move(oldHome, newHome));
        writer.note(samples.exec(2));
        writer.close();

        assertThat(oldHome).doesNotExist();
        assertThat(ChainVerifier.verify(newHome.resolve("session.db")))
                .isInstanceOfSatisfying(
                        Verification.Intact.class,
                        intact -> assertThat(intact.events()).isEqualTo(2));
        try (SessionReader reader = SessionReader.open(newHome.resolve("session.db"));
                Statement statement = reader.connection().createStatement();
                ResultSet row = statement.executeQuery("SELECT vm_id FROM session_identity")) {
            assertThat(row.getString(1)).isEqualTo("named");
        }
    }

    @Test
    void staysWhereItIsWhenTheMoveFails() throws SQLException {
        Path file = directory.resolve("session.db");
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            writer.note(samples.exec(1));

            assertThatThrownBy(
                            () -> writer.relocate(directory.resolve("elsewhere/session.db"), Samples.IDENTITY, () -> {
                                throw new UncheckedIOException(new IOException("no"));
                            }))
                    .isInstanceOfSatisfying(
                            TelemetryException.class,
                            e -> assertThat(e.code()).isEqualTo(TelemetryException.Code.NOT_RELOCATED));
            writer.note(samples.exec(2));
        }
        try (SessionReader reader = SessionReader.open(file);
                Statement statement = reader.connection().createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM exec_events")) {
            assertThat(row.getLong(1)).isEqualTo(2);
        }
    }

    private static void move(Path from, Path to) {
        try {
            Files.move(from, to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
