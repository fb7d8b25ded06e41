package dev.capsem.telemetry.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.events.Admission;
import dev.capsem.events.Admission.Admitted;
import dev.capsem.events.Admission.Refused;
import dev.capsem.events.EventSink.Receipt;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.row.Caller;
import dev.capsem.events.row.ExecRow;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.SourceEngine;
import dev.capsem.telemetry.Databases;
import dev.capsem.telemetry.Samples;
import dev.capsem.telemetry.chain.ChainVerifier;
import dev.capsem.telemetry.chain.Verification;
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
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SessionAdmissionTest {
    private static final int CAPACITY = 4;
    private static final long RESERVE_BYTES = 256 * 1024;
    private static final Duration LONG = Duration.ofSeconds(50);
    private static final Duration SHORT = Duration.ofMillis(50);

    @TempDir
    Path directory;

    private final Samples samples = new Samples();

    private SessionWriter open(Duration admissionWait) {
        WriterSettings settings = new WriterSettings(
                CAPACITY,
                2,
                1L << 30,
                RESERVE_BYTES,
                admissionWait,
                Duration.ZERO,
                Duration.ofMillis(5),
                Duration.ofMillis(20),
                Duration.ofMillis(50));
        return SessionWriter.open(directory.resolve("session.db"), Samples.IDENTITY, Samples.CLOCK, settings);
    }

    private static Admission.Place place(Admission admission) {
        return ((Admitted) admission).place();
    }

    @Test
    void admitsNoMoreThanTheQueueWillHold() {
        try (SessionWriter writer = open(SHORT)) {
            List<Admission.Place> places = fill(writer);

            assertThat(writer.admit(EventType.HTTP_REQUEST).join())
                    .isInstanceOfSatisfying(
                            Refused.class,
                            refused -> assertThat(refused.cause())
                                    .contains("queue")
                                    .contains("full"));
            places.forEach(Admission.Place::close);
            assertThat(writer.admit(EventType.HTTP_REQUEST).join()).isInstanceOf(Admitted.class);
            assertThat(writer.status().refused()).isEqualTo(Map.of(EventType.HTTP_REQUEST, 1L));
        }
    }

    @Test
    void letsWhoWaitsBeginWhenAPlaceIsGivenBack() {
        try (SessionWriter writer = open(LONG)) {
            List<Admission.Place> places = fill(writer);
            CompletableFuture<Admission> first = writer.admit(EventType.HTTP_REQUEST);
            CompletableFuture<Admission> second = writer.admit(EventType.DNS_REQUEST);
            assertThat(first).isNotDone();

            places.getFirst().close();
            assertThat(first.join()).isInstanceOf(Admitted.class);
            places.getFirst().close();
            assertThat(second).isNotDone();
            places.getLast().close();
            assertThat(second.join()).isInstanceOf(Admitted.class);
        }
    }

    @Test
    void keepsNoPlaceForWhoGaveUpWaiting() {
        try (SessionWriter writer = open(LONG)) {
            List<Admission.Place> places = fill(writer);
            CompletableFuture<Admission> gone = writer.admit(EventType.HTTP_REQUEST);
            gone.cancel(false);
            places.forEach(Admission.Place::close);

            assertThat(fill(writer)).hasSize(CAPACITY);
        }
    }

    @Test
    void storesEveryEventOfWhatWasAdmittedHoweverFullTheQueueIs() throws SQLException {
        try (SessionWriter writer = open(SHORT)) {
            List<Admission.Place> places = fill(writer);
            var hold = writer.hold();
            for (Admission.Place place : places) {
                for (int i = 0; i < 5; i++) {
                    assertThat(writer.record(samples.net(FinalAction.CONTINUE), place))
                            .isEqualTo(Receipt.ACCEPTED);
                }
                place.close();
            }
            assertThat(writer.admitNow(EventType.HTTP_REQUEST)).isInstanceOf(Refused.class);
            hold.release();
            writer.flush();
            assertThat(writer.admit(EventType.HTTP_REQUEST).join()).isInstanceOf(Admitted.class);
        }
        assertThat(number("SELECT count(*) FROM net_events")).isEqualTo(5L * CAPACITY);
    }

    @Test
    void refusesWhileTheRecordCannotBeWrittenAndSaysWhy() throws Exception {
        try (SessionWriter writer = open(SHORT)) {
            Admission.Place before = place(writer.admitNow(EventType.HTTP_REQUEST));
            writer.flush();
            writer.limitPages(1); // SQLite takes it as: no page more than there are.
            writer.record(exec(1), before);
            awaitProblem(writer, true);

            assertThat(writer.admit(EventType.HTTP_REQUEST).join()).isInstanceOfSatisfying(Refused.class, refused -> {
                assertThat(refused.cause()).contains("size limit");
                assertThat(refused.remedy()).contains("capsem");
            });
            assertThat(writer.admit(EventType.DNS_REQUEST).join()).isInstanceOf(Refused.class);
            // What had begun is written from the reserve, and so is the reason, while the problem lasts.
            awaitNumber(1, "SELECT count(*) FROM exec_events");
            awaitNumber(
                    1,
                    "SELECT count(*) FROM security_event_steps WHERE pack_id = 'record_unavailable'"
                            + " AND message LIKE '%http.request%size limit%'");
            assertThat(writer.status().problem()).isPresent();

            writer.limitPages(1 << 20);
            awaitProblem(writer, false);
            assertThat(writer.admit(EventType.HTTP_REQUEST).join()).isInstanceOf(Admitted.class);
            writer.flush();
            assertThat(number(
                            "SELECT count(*) FROM security_event_steps WHERE message LIKE 'refused 1 × dns.request%'"))
                    .isEqualTo(1);
        }
        assertThat(ChainVerifier.verify(directory.resolve("session.db")))
                .isInstanceOfSatisfying(
                        Verification.Intact.class,
                        intact -> assertThat(intact.eventsLost()).isZero());
    }

    @Test
    void letsWhoWaitsBeginWhenTheDiskHasSpaceAgain() throws Exception {
        try (SessionWriter writer = open(LONG)) {
            writer.flush();
            writer.limitPages(1);
            writer.note(exec(1));
            awaitProblem(writer, true);
            CompletableFuture<Admission> waiting = writer.admit(EventType.PROCESS_EXEC);
            assertThat(waiting).isNotDone();

            writer.limitPages(1 << 20);

            assertThat(waiting.join()).isInstanceOf(Admitted.class);
        }
    }

    @Test
    void whatTheHostDidIsStoredHoweverFullTheQueueIs() throws SQLException {
        try (SessionWriter writer = open(SHORT)) {
            fill(writer);

            assertThat(writer.note(lifecycle("refused"))).isEqualTo(Receipt.DROPPED);
            assertThat(writer.keep(lifecycle("stopped: its files passed the quota")))
                    .isEqualTo(Receipt.ACCEPTED);

            assertThat(writer.status().refused()).isEqualTo(Map.of(EventType.SANDBOX_STOP, 1L));
        }
        assertThat(number("SELECT count(*) FROM security_events WHERE event_type = 'vm.stop'"
                        + " AND reason = 'stopped: its files passed the quota'"))
                .isEqualTo(1);
    }

    @Test
    void nothingElseMayBeKept() {
        try (SessionWriter writer = open(SHORT)) {
            assertThatThrownBy(() -> writer.keep(exec(1))).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /// More than the reserve holds had begun, and there is never room again.
    @Test
    void theLastWordsOfARecordThatStaysFullAreWrittenFromTheRestOfTheReserve() throws Exception {
        try (SessionWriter writer = open(SHORT)) {
            writer.flush();
            writer.limitPages(1);
            for (int i = 1; i <= 40; i++) {
                writer.record(exec(i), Admission.Place.BOUNDLESS);
            }
            awaitProblem(writer, true);
            // Two commands are written at once; where they do not fit any more, this would not either.
            writer.keep(lifecycle("stopped: " + "x".repeat(95_000)));
            for (int i = 41; i <= 60; i++) {
                writer.record(exec(i), Admission.Place.BOUNDLESS);
            }
            writer.keep(lifecycle("over"));
        }
        assertThat(number("SELECT count(*) FROM security_events WHERE event_type = 'vm.stop'"))
                .isEqualTo(2);
        long stored = number("SELECT count(*) FROM exec_events");
        assertThat(stored).isBetween(1L, 20L);
        assertThat(ChainVerifier.verify(directory.resolve("session.db")))
                .isInstanceOfSatisfying(
                        Verification.Intact.class,
                        intact -> assertThat(intact.eventsLost()).isEqualTo(60 - stored));
        assertThat(directory.resolve(Reserve.FILE_NAME)).doesNotExist();
    }

    @Test
    void aPartOfTheReserveStaysUntilTheSandboxIsOver() throws Exception {
        Path database = directory.resolve("session.db");
        Reserve reserve = new Reserve(database, RESERVE_BYTES);
        assertThat(reserve.take()).isTrue();

        reserve.giveUp();
        assertThat(directory.resolve(Reserve.FILE_NAME)).hasSize(Reserve.REST_BYTES);
        assertThat(reserve.take()).isTrue();
        assertThat(directory.resolve(Reserve.FILE_NAME)).hasSize(RESERVE_BYTES);

        reserve.giveUpRest();
        assertThat(directory.resolve(Reserve.FILE_NAME)).doesNotExist();
    }

    private RecordedExchange lifecycle(String reason) {
        return RecordedExchange.of(samples.event(EventType.SANDBOX_STOP, SourceEngine.VM, FinalAction.OBSERVE_ONLY)
                .withReason(reason));
    }

    @Test
    void keepsAReserveWhileItIsOpen() {
        Path reserve = directory.resolve(Reserve.FILE_NAME);
        try (SessionWriter writer = open(SHORT)) {
            writer.flush();
            assertThat(reserve).hasSize(RESERVE_BYTES);
        }
        assertThat(reserve).doesNotExist();
    }

    @Test
    void admitsNothingIfThereIsNoSpaceForTheReserve() throws Exception {
        Path reserve = directory.resolve(Reserve.FILE_NAME);
        Files.createDirectory(reserve); // As good as a full disk: it cannot be written.
        Files.createFile(reserve.resolve("x"));
        try (SessionWriter writer = open(SHORT)) {
            awaitProblem(writer, true);
            assertThat(writer.admit(EventType.PROCESS_EXEC).join()).isInstanceOf(Refused.class);

            Files.delete(reserve.resolve("x"));
            awaitProblem(writer, false);
            assertThat(writer.admit(EventType.PROCESS_EXEC).join()).isInstanceOf(Admitted.class);
        }
    }

    @Test
    void refusesWhoWaitsWhenItIsClosed() {
        SessionWriter writer = open(LONG);
        fill(writer);
        CompletableFuture<Admission> waiting = writer.admit(EventType.HTTP_REQUEST);
        writer.close();

        assertThat(waiting.join()).isInstanceOf(Refused.class);
        assertThat(writer.admit(EventType.HTTP_REQUEST).join()).isInstanceOf(Refused.class);
    }

    private static List<Admission.Place> fill(SessionWriter writer) {
        List<Admission.Place> places = new ArrayList<>();
        for (int i = 0; i < CAPACITY; i++) {
            places.add(place(writer.admitNow(EventType.HTTP_REQUEST)));
        }
        return places;
    }

    private RecordedExchange exec(long execId) {
        return RecordedExchange.of(
                samples.event(EventType.PROCESS_EXEC, SourceEngine.PROCESS, FinalAction.CONTINUE),
                new ExecRow(
                        Samples.NOW, execId, "x".repeat(40_000), ExecRow.Source.API, Optional.empty(), Caller.UNKNOWN));
    }

    private static void awaitProblem(SessionWriter writer, boolean wanted) throws InterruptedException {
        while (writer.status().problem().isPresent() != wanted) {
            Thread.sleep(5);
        }
    }

    private void awaitNumber(long wanted, String sql) throws InterruptedException, SQLException {
        while (number(sql) != wanted) {
            Thread.sleep(5);
        }
    }

    private long number(String sql) throws SQLException {
        try (Connection connection = Databases.forReading(directory.resolve("session.db"));
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.getLong(1);
        }
    }
}
