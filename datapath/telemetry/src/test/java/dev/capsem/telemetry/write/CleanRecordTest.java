package dev.capsem.telemetry.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.telemetry.Samples;
import dev.capsem.telemetry.chain.ChainVerifier;
import dev.capsem.telemetry.chain.Verification;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What must not be on record is in no byte of the file, whatever column it came in.
@Timeout(60)
class CleanRecordTest {
    /// Stands in texts of the samples.
    private static final String UNSPEAKABLE = "example";

    @TempDir
    Path directory;

    @Test
    void everyTextOfEveryRowIsCleanedBeforeItIsStoredAndSealed() throws IOException {
        Path plain = directory.resolve("plain.db");
        Path clean = directory.resolve("clean.db");
        write(plain, text -> text);
        write(clean, text -> text.replace(UNSPEAKABLE, "*******"));

        assertThat(all(plain)).contains(UNSPEAKABLE);
        assertThat(all(clean)).doesNotContain(UNSPEAKABLE).contains("*******");
        assertThat(ChainVerifier.verify(clean)).isInstanceOf(Verification.Intact.class);
    }

    private static void write(Path file, UnaryOperator<String> clean) {
        Samples samples = new Samples();
        try (SessionWriter writer =
                SessionWriter.open(file, Samples.IDENTITY, Samples.CLOCK, WriterSettings.DEFAULT, clean)) {
            writer.recordOrWait(samples.full());
        }
    }

    /// With what SQLite keeps beside it.
    private static String all(Path file) throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path one : List.of(file, Path.of(file + "-wal"))) {
            if (Files.exists(one)) {
                all.append(new String(Files.readAllBytes(one), StandardCharsets.ISO_8859_1));
            }
        }
        return all.toString();
    }
}
