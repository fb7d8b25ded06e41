package dev.capsem.sandbox.bwrap.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessTableTest {
    @TempDir
    private Path proc;

    private ProcessTable table;

    @BeforeEach
    void open() {
        table = new ProcessTable(proc);
    }

    @Test
    void readsTheStartTimePastAHostileName() throws IOException {
        stat("7", "a) R 1 (b", "S", 123_456);

        assertThat(table.startTicks(7)).isEqualTo(OptionalLong.of(123_456));
    }

    @Test
    void aReusedPidIsSomebodyElse() throws IOException {
        stat("7", "sh", "S", 200);

        assertThat(table.isAlive(7, 200)).isTrue();
        assertThat(table.isAlive(7, 100)).isFalse();
        assertThat(table.isAlive(8, 200)).isFalse();
    }

    @Test
    void zombiesAreDeadAndStoppedProcessesStill() throws IOException {
        stat("7", "sh", "Z", 200);
        stat("8/task/8", "sh", "T", 200);
        stat("9/task/9", "sh", "R", 200);

        assertThat(table.isAlive(7, 200)).isFalse();
        assertThat(table.isStill(8)).isTrue();
        assertThat(table.isStill(9)).isFalse();
    }

    @Test
    void aDeadFirstThreadDoesNotHideARunningSecond() throws IOException {
        stat("7/task/7", "sh", "Z", 200);
        stat("7/task/8", "sh", "R", 201);

        assertThat(table.isStill(7)).isFalse();
    }

    @Test
    void theFirstChildIsTheOldestOfTheList() throws IOException {
        Files.writeString(Files.createDirectories(proc.resolve("7/task/7")).resolve("children"), "31 12 \n");
        Files.writeString(Files.createDirectories(proc.resolve("8/task/8")).resolve("children"), "");

        assertThat(table.firstChild(7)).isEqualTo(OptionalLong.of(12));
        assertThat(table.firstChild(8)).isEmpty();
    }

    private void stat(String process, String name, String state, long startTicks) throws IOException {
        Path directory = Files.createDirectories(proc.resolve(process));
        Files.writeString(
                directory.resolve("stat"),
                "7 (" + name + ") " + state + " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 " + startTicks + " 0 0\n");
    }
}
