package dev.capsem.sandbox.bwrap.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeFilesTest {
    private static final long SECOND = 1_000_000_000;

    @TempDir
    Path proc;

    /// A guest holds as many as it likes; while it is searched, nobody measures what else it has.
    @Test
    void aSearchThatTakesLongEndsWithWhatItFound() throws IOException {
        holdsADeletedFile(1);
        holdsADeletedFile(2);
        holdsADeletedFile(3);
        AtomicLong now = new AtomicLong();
        TreeFiles slow = new TreeFiles(new ProcessTable(proc), proc, () -> now.getAndAdd(2 * SECOND));
        TreeFiles fast = new TreeFiles(new ProcessTable(proc), proc, () -> 0);

        long all = fast.unlinked(List.of(1L, 2L, 3L));

        assertThat(all).isPositive();
        assertThat(slow.unlinked(List.of(1L, 2L, 3L))).isEqualTo(all / 3);
    }

    /// As /proc shows it: a link whose name ends so, and that leads to the file all the same.
    private void holdsADeletedFile(long pid) throws IOException {
        Path file = proc.resolve(pid + " (deleted)");
        Files.write(file, new byte[8_192]);
        Path descriptors = Files.createDirectories(proc.resolve(pid + "/fd"));
        Files.createSymbolicLink(descriptors.resolve("5"), file);
    }
}
