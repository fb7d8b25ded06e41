package dev.capsem.telemetry.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.events.EventShapes;
import dev.capsem.events.EventSink.Receipt;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.row.Caller;
import dev.capsem.events.row.ExecRow;
import dev.capsem.events.row.RowShape;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.SourceEngine;
import dev.capsem.telemetry.Databases;
import dev.capsem.telemetry.Samples;
import dev.capsem.telemetry.TelemetryException;
import dev.capsem.telemetry.chain.ChainVerifier;
import dev.capsem.telemetry.chain.Verification;
import dev.capsem.telemetry.read.SessionReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SessionWriterTest {
    private static final WriterSettings SMALL = new WriterSettings(
            4,
            2,
            1L << 30,
            0,
            Duration.ofMillis(50),
            Duration.ZERO,
            Duration.ofMillis(5),
            Duration.ofMillis(20),
            Duration.ofMillis(50));

    @TempDir
    Path directory;

    private final Samples samples = new Samples();

    private Path file() {
        return directory.resolve("session.db");
    }

    private SessionWriter open() {
        return SessionWriter.open(file(), Samples.IDENTITY, Samples.CLOCK);
    }

    private SessionWriter openSmall() {
        return SessionWriter.open(file(), Samples.IDENTITY, Samples.CLOCK, SMALL);
    }

    @Test
    void storesEveryKindOfRowFullAndMinimal() throws SQLException {
        try (SessionWriter writer = open()) {
            writer.recordOrWait(samples.full());
            writer.recordOrWait(samples.minimal());
        }

        for (RowShape shape : EventShapes.ALL) {
            assertThat(count(shape.table())).as(shape.table()).isPositive();
        }
        assertThat(columnsNeverFilled()).isEmpty();
        assertThat(ChainVerifier.verify(file())).isInstanceOf(Verification.Intact.class);
    }

    /// Of the full sample every column has a value, but for those that are only found out later.
    private List<String> columnsNeverFilled() throws SQLException {
        List<String> empty = new ArrayList<>();
        for (RowShape shape : EventShapes.ALL) {
            for (String column : shape.columns()) {
                long filled = number("SELECT count(" + column + ") FROM " + shape.table());
                if (filled == 0 && !shape.unsealed().contains(column)) {
                    empty.add(shape.table() + "." + column);
                }
            }
        }
        return empty;
    }

    @Test
    void keepsWhatASnapshotCovers() throws SQLException {
        try (SessionWriter writer = open()) {
            writer.note(samples.files(3));
            writer.recordOrWait(samples.full());
            writer.note(samples.files(2));
            writer.note(samples.minimal());
        }

        assertThat(number("SELECT start_fs_event_id FROM snapshot_events WHERE id = 1"))
                .isZero();
        assertThat(number("SELECT stop_fs_event_id FROM snapshot_events WHERE id = 1"))
                .isEqualTo(4);
        assertThat(number("SELECT start_fs_event_id FROM snapshot_events WHERE id = 2"))
                .isEqualTo(4);
        assertThat(number("SELECT stop_fs_event_id FROM snapshot_events WHERE id = 2"))
                .isEqualTo(7);
    }

    @Test
    void completesTheCommandThatEnded() throws SQLException {
        try (SessionWriter writer = open()) {
            writer.note(samples.exec(1));
            writer.note(samples.exec(2));
            writer.note(samples.execEnd(1, 3));
        }

        assertThat(number("SELECT exit_code FROM exec_events WHERE exec_id = 1"))
                .isEqualTo(3);
        assertThat(number("SELECT count(*) FROM exec_events WHERE exit_code IS NULL"))
                .isEqualTo(1);
    }

    @Test
    void losesARefusedExchangeButNotItsBatch() throws SQLException {
        open().close();
        execute("CREATE TRIGGER refuse BEFORE INSERT ON exec_events WHEN new.exec_id = 13"
                + " BEGIN SELECT RAISE(ABORT, 'no'); END");

        try (SessionWriter writer = open()) {
            var hold = writer.hold();
            for (int i = 10; i < 20; i++) {
                writer.note(samples.exec(i));
            }
            hold.release();
            writer.flush();

            assertThat(writer.status().rejected()).isEqualTo(1);
            assertThat(writer.status().written()).isEqualTo(9);
            assertThat(writer.status().counters()).containsEntry("process_exec_count", 9L);
        }

        assertThat(count("exec_events")).isEqualTo(9);
        assertThat(count("security_events")).isEqualTo(9);
        assertThat(ChainVerifier.verify(file()))
                .isInstanceOfSatisfying(
                        Verification.Intact.class,
                        intact -> assertThat(intact.lost()).isEqualTo(Map.of("process.exec", 1L)));
    }

    @Test
    void refusesAnEventIdThatIsTaken() throws SQLException {
        RecordedExchange twice = samples.exec(1);

        try (SessionWriter writer = open()) {
            writer.note(twice);
            writer.note(twice);
            writer.flush();

            assertThat(writer.status().rejected()).isEqualTo(1);
        }
        assertThat(count("exec_events")).isEqualTo(1);
    }

    @Test
    void refusesTheEndOfACommandThatNeverBegan() {
        try (SessionWriter writer = open()) {
            writer.note(samples.execEnd(5, 0));
            writer.flush();

            assertThat(writer.status().rejected()).isEqualTo(1);
        }
    }

    @Test
    void dropsObservationsWhenTheQueueIsFullAndAdmitsToIt() {
        try (SessionWriter writer = openSmall()) {
            var hold = writer.hold();
            for (int i = 0; i < SMALL.queueCapacity(); i++) {
                assertThat(writer.note(samples.exec(i))).isEqualTo(Receipt.ACCEPTED);
            }
            assertThat(writer.offer(samples.files(1))).isEqualTo(Receipt.DROPPED);
            assertThat(writer.offer(samples.files(1))).isEqualTo(Receipt.DROPPED);
            hold.release();
            writer.flush();

            assertThat(writer.status().dropped()).isEqualTo(Map.of(EventType.FILE_ACTIVITY, 2L));
            assertThat(writer.status().droppedEvents()).isEqualTo(2);
        }

        assertThat(ChainVerifier.verify(file())).isInstanceOfSatisfying(Verification.Intact.class, intact -> {
            assertThat(intact.events()).isEqualTo(4);
            assertThat(intact.gaps()).isEqualTo(1);
            assertThat(intact.lost()).isEqualTo(Map.of("file.activity", 2L));
            assertThat(intact.eventsLost()).isEqualTo(2);
        });
    }

    @Test
    void neverDropsABlockedExchange() throws Exception {
        try (SessionWriter writer = openSmall()) {
            Thread blocked;
            CountDownLatch about = new CountDownLatch(1);
            List<Receipt> receipts = new ArrayList<>();
            var hold = writer.hold();
            for (int i = 0; i < SMALL.queueCapacity(); i++) {
                writer.note(samples.exec(i));
            }
            blocked = Thread.ofVirtual().start(() -> {
                about.countDown();
                receipts.add(writer.recordOrWait(samples.net(FinalAction.BLOCK)));
            });
            about.await();
            assertThat(blocked.join(Duration.ofMillis(50))).isFalse();
            hold.release();
            blocked.join();

            assertThat(receipts).containsExactly(Receipt.ACCEPTED);
        }
        assertThat(number("SELECT count(*) FROM security_events WHERE final_action = 'block'"))
                .isEqualTo(1);
    }

    @Test
    void refusesToOfferWhatMustNotBeLost() {
        try (SessionWriter writer = open()) {
            assertThatThrownBy(() -> writer.offer(samples.net(FinalAction.CONTINUE)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void stopsWaitingWhenInterrupted() {
        try (SessionWriter writer = openSmall()) {
            var hold = writer.hold();
            for (int i = 0; i < SMALL.queueCapacity(); i++) {
                writer.note(samples.exec(i));
            }
            Thread.currentThread().interrupt();

            Receipt receipt = writer.recordOrWait(samples.net(FinalAction.BLOCK));
            boolean interrupted = Thread.interrupted();
            hold.release();

            assertThat(receipt).isEqualTo(Receipt.REFUSED);
            assertThat(interrupted).isTrue();
            assertThat(writer.status().droppedEvents()).isEqualTo(1);
        }
    }

    @Test
    void showsAFullDiskAndCatchesUpWhenThereIsSpaceAgain() throws Exception {
        int accepted = 0;
        try (SessionWriter writer = openSmall()) {
            writer.limitPages(1); // SQLite takes it as: no page more than there are.
            for (int i = 0; i < 20; i++) {
                accepted += writer.note(exec(i, "x".repeat(200_000))) == Receipt.ACCEPTED ? 1 : 0;
            }
            awaitProblem(writer, true);
            assertThat(writer.status().problem().orElseThrow().code()).isEqualTo("SQLITE_FULL");
            assertThat(accepted).isLessThan(20);
            assertThat(count("exec_events")).isZero();

            writer.limitPages(1 << 20);
            awaitProblem(writer, false);
            writer.flush();
            assertThat(count("exec_events")).isEqualTo(accepted);
            assertThat(writer.status().refused()).isEqualTo(Map.of(EventType.PROCESS_EXEC, 20L - accepted));
        }

        assertThat(ChainVerifier.verify(file()))
                .isInstanceOfSatisfying(
                        Verification.Intact.class,
                        intact -> assertThat(intact.eventsLost()).isZero());
    }

    @Test
    void givesUpOnAFullDiskOnlyWhenClosed() {
        SessionWriter writer = openSmall();
        writer.limitPages(1);
        writer.recordOrWait(exec(1, "x".repeat(200_000)));
        writer.close();

        assertThat(writer.status().lost()).isEqualTo(1);
        assertThat(writer.status().droppedEvents()).isEqualTo(1);
        assertThat(ChainVerifier.verify(file())).isInstanceOf(Verification.Intact.class);
    }

    private static void awaitProblem(SessionWriter writer, boolean wanted) throws InterruptedException {
        while (writer.status().problem().isPresent() != wanted) {
            Thread.sleep(5);
        }
    }

    private RecordedExchange exec(long execId, String command) {
        return RecordedExchange.of(
                samples.event(EventType.PROCESS_EXEC, SourceEngine.PROCESS, FinalAction.CONTINUE),
                new ExecRow(Samples.NOW, execId, command, ExecRow.Source.API, Optional.empty(), Caller.UNKNOWN));
    }

    @Test
    void leavesOneCompleteFileBehind() throws IOException {
        SessionWriter writer = open();
        writer.note(samples.exec(1));
        writer.close();

        assertThat(directory.toFile().list()).containsExactly("session.db");
        assertThat(writer.note(samples.exec(2))).isEqualTo(Receipt.REFUSED);
        assertThatThrownBy(writer::flush)
                .isInstanceOfSatisfying(
                        TelemetryException.class, e -> assertThat(e.code()).isEqualTo(TelemetryException.Code.CLOSED));
        writer.close();
    }

    @Test
    void cutsLongTextBetweenCharacters() throws SQLException {
        // One byte more than fits, and the limit falls inside the last character.
        String command = "x" + "€".repeat(StoredText.BYTES_MAX / 3 + 1);

        try (SessionWriter writer = open()) {
            writer.note(exec(1, command));
        }

        String stored = text("SELECT command FROM exec_events");
        assertThat(stored.getBytes(StandardCharsets.UTF_8)).hasSizeLessThanOrEqualTo(StoredText.BYTES_MAX);
        assertThat(stored).isEqualTo(command.substring(0, stored.length()));
        assertThat(ChainVerifier.verify(file())).isInstanceOf(Verification.Intact.class);
    }

    @Test
    void sealsTextThatIsNotQuiteText() {
        try (SessionWriter writer = open()) {
            writer.note(exec(1, "a\0b"));
            writer.note(exec(2, "lone \uD800 surrogate"));
            writer.note(exec(3, "𝄞 \u0001 \uFFFF"));
            writer.note(exec(4, "123"));
        }

        assertThat(ChainVerifier.verify(file())).isInstanceOf(Verification.Intact.class);
    }

    @Test
    void countsAlongAsTheTablesDo() {
        Map<String, Long> counted;
        try (SessionWriter writer = open()) {
            writer.recordOrWait(samples.full());
            writer.note(samples.minimal());
            writer.recordOrWait(samples.net(FinalAction.BLOCK));
            writer.note(samples.files(7));
            writer.flush();
            counted = writer.status().counters();
        }

        try (SessionReader reader = SessionReader.open(file())) {
            assertThat(reader.counters()).isEqualTo(counted);
        }
        try (SessionWriter again = open()) {
            assertThat(again.status().counters()).isEqualTo(counted);
            assertThat(again.lastExecId()).isEqualTo(901);
        }
        assertThat(counted)
                .containsEntry("total_file_events", 9L)
                .containsEntry("blocks_total", 1L)
                .containsEntry("total_estimated_cost_micros", 250_000L);
    }

    @Test
    void takesExchangesFromManyThreadsAndKeepsEachOnesOrder() throws Exception {
        int threads = 8;
        int each = 300;
        try (SessionWriter writer = open()) {
            List<Thread> producers = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int thread = t;
                producers.add(Thread.ofVirtual().start(() -> {
                    for (int i = 0; i < each; i++) {
                        writer.recordOrWait(exec(thread * each + i, "thread-" + thread));
                    }
                }));
            }
            for (Thread producer : producers) {
                producer.join();
            }
        }

        assertThat(count("exec_events")).isEqualTo((long) threads * each);
        assertThat(number("SELECT count(*) FROM exec_events a JOIN exec_events b"
                        + " ON a.command = b.command AND b.exec_id = a.exec_id + 1 WHERE b.id < a.id"))
                .isZero();
        assertThat(ChainVerifier.verify(file())).isInstanceOf(Verification.Intact.class);
    }

    @Test
    void continuesTheChainAfterReopening() {
        for (int i = 1; i <= 3; i++) {
            try (SessionWriter writer = open()) {
                writer.note(samples.exec(i));
            }
        }

        assertThat(ChainVerifier.verify(file()))
                .isInstanceOfSatisfying(
                        Verification.Intact.class,
                        intact -> assertThat(intact.events()).isEqualTo(3));
    }

    @Test
    void letsOthersReadWhileItWrites() throws SQLException {
        try (SessionWriter writer = open()) {
            writer.note(samples.exec(1));
            writer.flush();

            assertThat(count("exec_events")).isEqualTo(1);
        }
    }

    @Test
    void makesTheFileReadableByItsOwnerOnly() throws IOException {
        open().close();

        assertThat(Files.getPosixFilePermissions(file()).toString()).doesNotContain("GROUP", "OTHERS");
    }

    private long count(String table) throws SQLException {
        return number("SELECT count(*) FROM " + table);
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = Databases.forReading(file());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.getLong(1);
        }
    }

    private String text(String sql) throws SQLException {
        try (Connection connection = Databases.forReading(file());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.getString(1);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = Databases.forWriting(file());
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }
}
