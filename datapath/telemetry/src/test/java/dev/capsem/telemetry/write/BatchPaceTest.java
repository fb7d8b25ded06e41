package dev.capsem.telemetry.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.telemetry.Samples;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The gap is an hour long: who waits for it meets the time limit of the test.
@Timeout(60)
class BatchPaceTest {
    private static final int BATCH_MAX = 8;
    private static final WriterSettings SLOW = new WriterSettings(
            64,
            BATCH_MAX,
            1L << 30,
            0,
            Duration.ofMillis(50),
            Duration.ofHours(1),
            Duration.ofMillis(5),
            Duration.ofMillis(20),
            Duration.ofMillis(50));

    @TempDir
    Path directory;

    private final Samples samples = new Samples();

    /// With one batch behind it, so that the next one has a gap to wait for.
    private SessionWriter open() {
        SessionWriter writer =
                SessionWriter.open(directory.resolve("session.db"), Samples.IDENTITY, Samples.CLOCK, SLOW);
        writer.note(samples.net(FinalAction.CONTINUE));
        awaitWritten(writer, 1);
        return writer;
    }

    @Test
    void writesTheFirstAtOnceAndGathersWhatFollows() {
        try (SessionWriter writer = open()) {
            for (int i = 0; i < BATCH_MAX - 2; i++) {
                writer.note(samples.net(FinalAction.CONTINUE));
            }

            assertThat(writer.status().written()).isEqualTo(1);
        }
    }

    @Test
    void doesNotKeepWhoWaitsForTheRecordWaiting() {
        try (SessionWriter writer = open()) {
            writer.note(samples.net(FinalAction.CONTINUE));
            writer.flush();

            assertThat(writer.status().written()).isEqualTo(2);
        }
    }

    @Test
    void writesAtOnceWhatWasBlocked() {
        try (SessionWriter writer = open()) {
            writer.note(samples.net(FinalAction.CONTINUE));
            writer.note(samples.net(FinalAction.BLOCK));

            awaitWritten(writer, 3);
        }
    }

    @Test
    void writesAFullBatchAtOnce() {
        try (SessionWriter writer = open()) {
            for (int i = 0; i <= BATCH_MAX; i++) {
                writer.note(samples.net(FinalAction.CONTINUE));
            }

            awaitWritten(writer, 1 + BATCH_MAX);
        }
    }

    @Test
    void writesWhatIsLeftWhenItCloses() {
        SessionWriter writer = open();
        writer.note(samples.net(FinalAction.CONTINUE));
        writer.close();

        assertThat(writer.status().written()).isEqualTo(2);
    }

    private static void awaitWritten(SessionWriter writer, long count) {
        while (writer.status().written() < count) {
            Thread.onSpinWait();
        }
    }
}
