package dev.capsem.sandbox.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptShelfTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    @TempDir
    Path root;

    @Test
    void oldCopiesGoAndTheNewestStays() throws IOException {
        var shelf = new KeptShelf(root);
        Path ancient = copy(shelf, "lab", Duration.ofDays(90), 10);
        Path old = copy(shelf, "lab", Duration.ofDays(31), 10);
        Path recent = copy(shelf, "other", Duration.ofDays(29), 10);

        shelf.prune(NOW);

        assertThat(ancient).doesNotExist();
        assertThat(old).doesNotExist();
        assertThat(recent.resolve("dir/file")).exists();

        shelf.prune(NOW.plus(Duration.ofDays(365)));

        assertThat(recent.resolve("dir/file")).exists();
    }

    @Test
    void theOldestGoBeyondTheSizeLimitAndTheNewestStaysWhateverItsSize() throws IOException {
        var shelf = new KeptShelf(root, 100);
        Path third = copy(shelf, "a", Duration.ofHours(3), 10);
        Path second = copy(shelf, "b", Duration.ofHours(2), 50);
        Path first = copy(shelf, "c", Duration.ofHours(1), 50);

        shelf.prune(NOW);

        assertThat(first).exists();
        assertThat(second).exists();
        assertThat(third).doesNotExist();

        Path large = copy(shelf, "d", Duration.ZERO, 1000);
        shelf.prune(NOW);

        assertThat(large).exists();
        assertThat(first).doesNotExist();
    }

    @Test
    void linksAreNotFollowedAndStrangersStay() throws IOException {
        var shelf = new KeptShelf(root.resolve("kept"));
        Path old = copy(shelf, "a", Duration.ofDays(60), 1);
        copy(shelf, "b", Duration.ofDays(1), 1);
        Path outside = Files.createDirectories(root.resolve("outside"));
        Files.writeString(outside.resolve("mine"), "x");
        Files.createSymbolicLink(old.resolve("link"), outside);
        Path stranger = Files.createDirectories(root.resolve("kept/notes-of-mine"));

        shelf.prune(NOW);

        assertThat(old).doesNotExist();
        assertThat(outside.resolve("mine")).exists();
        assertThat(stranger).exists();
    }

    @Test
    void nothingToDoWhereNothingWasKept() {
        new KeptShelf(root.resolve("none")).prune(NOW);

        assertThat(root.resolve("none")).doesNotExist();
    }

    private static Path copy(KeptShelf shelf, String sandbox, Duration ago, int bytes) throws IOException {
        Path copy = shelf.place(sandbox, NOW.minus(ago));
        Files.createDirectories(copy.resolve("dir"));
        Files.write(copy.resolve("dir/file"), new byte[bytes]);
        return copy;
    }
}
