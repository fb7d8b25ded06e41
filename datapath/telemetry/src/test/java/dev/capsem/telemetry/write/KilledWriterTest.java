package dev.capsem.telemetry.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.telemetry.Databases;
import dev.capsem.telemetry.Samples;
import dev.capsem.telemetry.chain.ChainVerifier;
import dev.capsem.telemetry.chain.Verification;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// `kill -9` of the writing process at random moments: the file is whole, what was flushed is there, the chain
/// holds, and the next writer goes on.
@Tag("sockets")
@Timeout(240)
class KilledWriterTest {
    private static final int KILLS = 5;

    @TempDir
    Path directory;

    @Test
    void losesNothingThatWasCommitted() throws Exception {
        Path file = directory.resolve("session.db");
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);

        for (int round = 0; round < KILLS; round++) {
            long flushed = writeUntilKilled(file, random);

            assertThat(ChainVerifier.verify(file))
                    .isInstanceOfSatisfying(
                            Verification.Intact.class,
                            intact -> assertThat(intact.events()).isGreaterThanOrEqualTo(flushed));
            assertThat(integrity(file)).isEqualTo("ok");
        }
    }

    /// Answers how many events the child had said were flushed.
    private long writeUntilKilled(Path file, Random random) throws IOException, InterruptedException {
        Path said = Files.createTempFile(directory, "said", ".txt");
        Process child = new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName(),
                        file.toString()))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .redirectOutput(said.toFile())
                .start();
        try {
            while (Files.size(said) == 0) {
                assertThat(child.waitFor(5, TimeUnit.MILLISECONDS)).isFalse();
            }
            assertThat(child.waitFor(random.nextInt(400), TimeUnit.MILLISECONDS))
                    .isFalse();
        } finally {
            child.destroyForcibly().waitFor();
        }
        return Files.readAllLines(said).stream()
                .filter(line -> line.endsWith(".")) // The last line may be cut off.
                .mapToLong(line -> Long.parseLong(line.substring(0, line.length() - 1)))
                .max()
                .orElse(0);
    }

    private static String integrity(Path file) throws SQLException {
        try (Connection connection = Databases.forReading(file);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("PRAGMA integrity_check")) {
            return row.getString(1);
        }
    }

    /// Writes for ever, and after each flush says how many events the file now holds.
    static final class Child {
        private Child() {}

        public static void main(String[] args) {
            SessionWriter writer = SessionWriter.open(Path.of(args[0]), Samples.IDENTITY, InstantSource.system());
            Samples samples = new Samples(InstantSource.system(), new Random());
            System.out.println(writer.status().counters().get("security_events_total") + ".");
            for (long i = 0; ; i++) {
                writer.recordOrWait(samples.net(i % 3 == 0 ? FinalAction.BLOCK : FinalAction.CONTINUE));
                if (i % 50 == 0) {
                    writer.flush();
                    System.out.println(writer.status().counters().get("security_events_total") + ".");
                }
            }
        }
    }
}
