package dev.capsem.telemetry.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.telemetry.Databases;
import dev.capsem.telemetry.Samples;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.chain.ChainHead;
import dev.capsem.telemetry.chain.ChainVerifier;
import dev.capsem.telemetry.chain.Verification;
import dev.capsem.telemetry.write.MainDatabase.End;
import dev.capsem.telemetry.write.MainDatabase.SessionStart;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@Timeout(60)
class MainDatabaseTest {
    @TempDir
    Path directory;

    private final Samples samples = new Samples();

    private MainDatabase open() {
        return MainDatabase.open(directory.resolve("main.db"), Samples.CLOCK);
    }

    private Path record(String name) {
        Path file = directory.resolve(name);
        try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
            writer.recordOrWait(samples.full());
            writer.recordOrWait(samples.net(FinalAction.BLOCK));
        }
        return file;
    }

    private static SessionStart start(String id) {
        return new SessionStart(id, "temporary", Optional.of("sh"), OptionalLong.of(1L << 30), Optional.empty(), false);
    }

    @Test
    void keepsWhatASessionAddedUpTo() {
        try (MainDatabase main = open()) {
            main.started(start("box-1"));
            assertThat(main.running()).containsExactly("box-1");

            main.ended("box-1", End.STOPPED, record("session.db"));

            assertThat(main.running()).isEmpty();
            JsonNode stats = main.stats();
            JsonNode session = stats.get("sessions").get(0);
            assertThat(session.get("status").asString()).isEqualTo("stopped");
            assertThat(session.get("total_requests").asLong()).isEqualTo(2);
            assertThat(session.get("denied_requests").asLong()).isEqualTo(1);
            assertThat(session.get("total_estimated_cost").asDouble()).isEqualTo(0.25);
            assertThat(session.get("exec_count").asLong()).isEqualTo(1);
            assertThat(stats.get("global").get("total_sessions").asLong()).isEqualTo(1);
            assertThat(stats.get("top_providers").get(0).get("provider").asString())
                    .isEqualTo("anthropic");
            assertThat(stats.get("top_tools").get(0).get("tool_name").asString())
                    .isEqualTo("github__search");
            assertThat(stats.get("top_mcp_tools").get(0).get("server_name").asString())
                    .isEqualTo("github");
        }
    }

    @Test
    void countsASessionThatRuns() {
        try (MainDatabase main = open()) {
            main.started(start("box-1"));

            main.tally("box-1", record("session.db"));

            JsonNode global = main.stats().get("global");
            assertThat(global.get("running_sessions").asLong()).isEqualTo(1);
            assertThat(global.get("total_requests").asLong()).isEqualTo(2);
            assertThat(global.get("total_input_tokens").asLong()).isEqualTo(100);
            assertThat(main.head("box-1")).isEmpty();
        }
    }

    @Test
    void answersTheSameWhenASessionEndsTwice() {
        try (MainDatabase main = open()) {
            Path file = record("session.db");
            main.started(start("box-1"));
            main.ended("box-1", End.CRASHED, file);
            JsonNode once = main.stats();

            main.ended("box-1", End.CRASHED, file);

            assertThat(main.stats()).isEqualTo(once);
        }
    }

    @Test
    void recordsTheEndEvenWithoutADatabase() {
        try (MainDatabase main = open()) {
            main.started(start("box-1"));
            main.ended("box-1", End.CRASHED, directory.resolve("gone.db"));

            JsonNode session = main.stats().get("sessions").get(0);
            assertThat(session.get("status").asString()).isEqualTo("crashed");
            assertThat(session.get("total_estimated_cost").isNull()).isTrue();
        }
    }

    @Test
    void keepsTheHeadOfTheChainAndNeverMovesItBack() throws SQLException {
        try (MainDatabase main = open()) {
            Path file = record("session.db");
            main.started(start("box-1"));
            main.ended("box-1", End.STOPPED, file);
            ChainHead kept = main.head("box-1").orElseThrow();
            assertThat(ChainVerifier.verify(file, kept)).isInstanceOf(Verification.Intact.class);

            main.ended("box-1", End.STOPPED, record("other.db"));
            cutTheEndOff(file);
            main.ended("box-1", End.STOPPED, file);

            assertThat(main.head("box-1")).contains(kept);
            assertThat(ChainVerifier.verify(file, kept)).isInstanceOf(Verification.Broken.class);
        }
    }

    private static void cutTheEndOff(Path file) throws SQLException {
        try (Connection connection = Databases.forWriting(file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("DELETE FROM event_chain WHERE seq = 2");
        }
    }

    @Test
    void movesTheHeadOnWhenASessionWentOn() {
        try (MainDatabase main = open()) {
            Path file = record("session.db");
            main.started(start("box-1"));
            main.ended("box-1", End.STOPPED, file);
            main.started(start("box-1"));
            try (SessionWriter writer = SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK)) {
                writer.note(samples.exec(5));
            }
            main.ended("box-1", End.STOPPED, file);

            assertThat(main.head("box-1").orElseThrow().seq()).isEqualTo(3);
        }
    }

    @Test
    void followsARename() {
        try (MainDatabase main = open()) {
            main.started(start("temp-1"));
            main.ended("temp-1", End.STOPPED, record("session.db"));

            main.renamed("temp-1", "named");

            JsonNode stats = main.stats();
            assertThat(stats.get("sessions").get(0).get("id").asString()).isEqualTo("named");
            assertThat(stats.get("sessions").get(0).get("persistent").asLong()).isEqualTo(1);
            assertThat(stats.get("top_providers")).hasSize(1);
            assertThat(main.head("named")).isPresent();
        }
    }

    @Test
    void isSharedByThreadsAndByConnections() throws InterruptedException {
        try (MainDatabase one = open();
                MainDatabase other = open()) {
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                MainDatabase main = t % 2 == 0 ? one : other;
                int thread = t;
                threads.add(Thread.ofVirtual().start(() -> {
                    for (int i = 0; i < 10; i++) {
                        main.started(start("box-" + thread + "-" + i));
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }

            assertThat(one.running()).hasSize(40);
        }
    }

    @Test
    void refusesAFileOfAnotherVersion() throws SQLException {
        Path file = directory.resolve("main.db");
        try (Connection connection = Databases.forWriting(file);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("PRAGMA user_version = 6");
        }

        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        TelemetryException.class,
                        e -> assertThat(e.code()).isEqualTo(TelemetryException.Code.UNSUPPORTED_SCHEMA));
    }
}
