package dev.capsem.sandbox.bwrap.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdRangesTest {
    @TempDir
    Path directory;

    private Path locks;

    @BeforeEach
    void prepare() {
        locks = directory.resolve("ids");
    }

    @Test
    void everyProcessHasItsOwnAndAFreedOneIsTakenAgain() throws IOException {
        IdRanges.Held first = take(3);
        IdRanges.Held second = take(3);
        first.lock().close();
        IdRanges.Held third = take(3);

        assertThat(first.number()).isZero();
        assertThat(second.number()).isEqualTo(1);
        assertThat(third.number()).isZero();
        second.lock().close();
        third.lock().close();
    }

    @Test
    void saysSoWhenAllAreInUse() throws IOException {
        try (var _ = take(1).lock()) {
            assertThatThrownBy(() -> take(1))
                    .isInstanceOfSatisfying(
                            SandboxException.class,
                            refused -> assertThat(refused.remedy()).contains("capsem list"))
                    .hasMessage("every range of ids for sandboxes is in use");
        }
    }

    @Test
    void leavesAloneWhatTheHostGaveToSomebody() throws IOException {
        Files.writeString(directory.resolve("subuid"), "# comment\n\nann:493216:65536\n");
        Files.writeString(directory.resolve("subgid"), "ben:565536:1\n");
        Files.writeString(directory.resolve("passwd"), "cat:x:696607:100::/:/bin/sh\ndan:x:1000:100::/:/bin/sh\n");

        IdRanges.Held first = take(10);
        IdRanges.Held second = take(10);

        assertThat(first.number()).isEqualTo(3);
        assertThat(second.number()).isEqualTo(4);
        first.lock().close();
        second.lock().close();
    }

    @Test
    void endsBelowWhatProgramsTakeForNegative() {
        assertThat(IdRanges.FIRST + IdRanges.COUNT * IdRanges.SIZE).isLessThan(Integer.MAX_VALUE);
    }

    private IdRanges.Held take(int count) {
        return IdRanges.take(locks, directory, count);
    }
}
