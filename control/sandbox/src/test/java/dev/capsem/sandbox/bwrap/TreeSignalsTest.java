package dev.capsem.sandbox.bwrap;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.sandbox.bwrap.io.ProcessTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The launcher of these tests is not there: whoever tries to start it fails.
final class TreeSignalsTest {
    private static final long PID = 1234;
    private static final long START_TICKS = 777;

    @TempDir
    private Path proc;

    private TreeSignals signals = new TreeSignals(Path.of("/"), new ProcessTable(Path.of("/")));

    @BeforeEach
    void setUp() {
        signals = new TreeSignals(proc.resolve("no-launcher"), new ProcessTable(proc));
    }

    @Test
    void startsNothingForAProcessThatIsOver() {
        assertThatCode(() -> signals.send("kill", PID, START_TICKS)).doesNotThrowAnyException();
    }

    @Test
    void startsNothingForAnotherProcessWithThatPid() throws IOException {
        writeStat(START_TICKS + 1, "S");

        assertThatCode(() -> signals.send("kill", PID, START_TICKS)).doesNotThrowAnyException();
    }

    @Test
    void startsTheLauncherForAProcessThatRuns() throws IOException {
        writeStat(START_TICKS, "S");

        assertThatThrownBy(() -> signals.send("kill", PID, START_TICKS)).isInstanceOf(UncheckedIOException.class);
    }

    /// Its children may live on.
    @Test
    void startsTheLauncherForAZombie() throws IOException {
        writeStat(START_TICKS, "Z");

        assertThatThrownBy(() -> signals.send("kill", PID, START_TICKS)).isInstanceOf(UncheckedIOException.class);
    }

    private void writeStat(long startTicks, String state) throws IOException {
        Path directory = Files.createDirectories(proc.resolve(Long.toString(PID)));
        String fields = state + " 1" + " 0".repeat(17) + " " + startTicks + " 0 0";
        Files.writeString(directory.resolve("stat"), PID + " (bwrap) " + fields + "\n");
    }
}
