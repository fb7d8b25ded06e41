package dev.capsem.sandbox.bwrap.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.sandbox.MemoryUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Sums over a /proc of our own making.
class TreeMemoryTest {
    private static final String BOUND = "1 2 0:30 / /bound rw - tmpfs tmpfs rw\n";

    @TempDir
    private Path proc = Path.of("replaced by JUnit");

    private MemoryUse of(long... pids) {
        ProcessTable processes = new ProcessTable(proc);
        return new TreeMemory(processes, new TreeFiles(processes, proc), proc)
                .of(LongStream.of(pids).boxed().toList());
    }

    private void process(long pid, int own, int shared, String mounts) throws IOException {
        Path directory = Files.createDirectories(proc.resolve(Long.toString(pid)));
        Files.createDirectories(directory.resolve("root/bound"));
        Files.writeString(
                directory.resolve("smaps_rollup"),
                "Rss: 9 kB\nPss_Anon:  " + own + " kB\nPss_Shmem:  " + shared + " kB\nSwapPss: 1 kB\n");
        Files.writeString(directory.resolve("mountinfo"), mounts);
    }

    @Test
    void whatProcessesHaveIsAddedAndTheLargestIsNotTheAgent() throws IOException {
        Files.createDirectories(proc.resolve("self"));
        process(7, 100, 0, "");
        process(8, 10, 5, "");
        process(9, 20, 5, "");

        assertThat(of(7, 8, 9)).isEqualTo(new MemoryUse((133 + 10) * 1_024, OptionalLong.of(9)));
        assertThat(of(7).largest()).isEmpty();
        assertThat(of()).isEqualTo(new MemoryUse(0, OptionalLong.empty()));
    }

    /// A project below a `/tmp` that is memory, or the directory of our sockets: nothing of it is the guest's doing.
    @Test
    void memoryFilesystemsOfTheHostAreNotTheSandboxes() throws IOException {
        Files.createDirectories(proc.resolve("self"));
        Files.writeString(proc.resolve("self/mountinfo"), "5 2 0:30 / /tmp rw - tmpfs tmpfs rw\n");
        process(7, 0, 0, BOUND);

        long ofHost = of(7).bytes();
        Files.writeString(proc.resolve("self/mountinfo"), "");
        long own = of(7).bytes();

        assertThat(ofHost).isEqualTo(1_024);
        assertThat(own).as("what is used where it is mounted").isGreaterThan(1_048_576);
    }
}
