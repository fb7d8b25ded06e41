package dev.capsem.sandbox.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.sandbox.workspace.tree.WorkspaceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LongPathsTest {
    private static final int DIRECTORIES = 13;
    private static final int NAME_LENGTH = 250;

    /// The service serves all sandboxes: the paths of one must not fill its memory.
    @Test
    void theLengthOfAllPathsTogetherIsBounded(@TempDir Path project, @TempDir Path session, @TempDir Path kept)
            throws IOException {
        Path deep = session.resolve("up/project");
        for (int i = 0; i < DIRECTORIES; i++) {
            deep = deep.resolve("d".repeat(NAME_LENGTH));
        }
        Files.createDirectories(deep);
        long files = ProjectChanges.PATH_BYTES_MAX / (DIRECTORIES * (NAME_LENGTH + 1)) + 1;
        for (long i = 0; i < files; i++) {
            Files.createFile(deep.resolve("f" + i));
        }
        var workspace = new ProjectWorkspace(project, session, kept);
        var everything = new ProjectWorkspace.Choice(List.of(), true);

        assertThatThrownBy(() -> workspace.diff(everything))
                .isInstanceOfSatisfying(WorkspaceException.class, refused -> {
                    assertThat(refused.code()).isEqualTo(WorkspaceException.Code.TOO_MANY_CHANGES);
                    assertThat(refused).hasMessageContaining("16 MiB");
                    assertThat(refused.remedy()).contains("capsem diff");
                });
        assertThatThrownBy(() -> workspace.apply(everything, new ProjectWorkspace.Terms(true, Optional.empty())))
                .isInstanceOf(WorkspaceException.class);
        assertThat(project).isEmptyDirectory();
    }
}
