package dev.capsem.sandbox.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProjectDiffTest {
    @TempDir
    Path root;

    private ProjectFixture fixture;

    @BeforeEach
    void makeFixture() throws IOException {
        fixture = new ProjectFixture(root);
    }

    @Test
    void writesAPatchOfAddedModifiedAndDeletedFiles() {
        fixture.original("edit.txt", "one\n")
                .original("gone.txt", "bye\n")
                .changed("edit.txt", "two\n")
                .changed("new.txt", "hello\n")
                .deleted("gone.txt");

        ProjectDiff diff = fixture.workspace().diff(List.of());

        assertThat(diff.files().stream().map(ProjectDiff.FileDiff::text).reduce("", String::concat))
                .isEqualTo("""
                        diff --git a/edit.txt b/edit.txt
                        --- a/edit.txt
                        +++ b/edit.txt
                        @@ -1 +1 @@
                        -one
                        +two
                        diff --git a/gone.txt b/gone.txt
                        deleted file mode 100644
                        --- a/gone.txt
                        +++ /dev/null
                        @@ -1 +0,0 @@
                        -bye
                        diff --git a/new.txt b/new.txt
                        new file mode 100644
                        --- /dev/null
                        +++ b/new.txt
                        @@ -0,0 +1 @@
                        +hello
                        """);
        assertThat(diff.added()).isEqualTo(2);
        assertThat(diff.deleted()).isEqualTo(2);
    }

    @Test
    void binaryFilesAreNamedNotShown() throws IOException {
        Files.write(fixture.upper.resolve("image.bin"), new byte[] {1, 0, 2});
        Files.write(fixture.upper.resolve("latin1.txt"), new byte[] {'c', 'a', 'f', (byte) 0xe9});

        ProjectDiff diff = fixture.workspace().diff(List.of());

        assertThat(diff.files()).allSatisfy(file -> assertThat(file.note()).hasValue("binary"));
        assertThat(diff.files().getFirst().text()).isEqualTo("# added image.bin: binary\n");
    }

    @Test
    void largeFilesAreNamedNotShown() {
        fixture.original("log.txt", "short\n").changed("log.txt", "x".repeat(ProjectDiff.SHOWN_FILE_BYTES_MAX + 1));

        assertThat(fixture.workspace().diff(List.of()).files().getFirst().note())
                .hasValue("too large to show");
    }

    @Test
    void aChangeOfTypeIsADeletionAndAnAddition() throws IOException {
        fixture.original("thing", "a file\n");
        Files.createSymbolicLink(fixture.upper.resolve("thing"), Path.of("elsewhere"));

        assertThat(fixture.workspace().diff(List.of()).files().getFirst().text())
                .isEqualTo("""
                diff --git a/thing b/thing
                deleted file mode 100644
                --- a/thing
                +++ /dev/null
                @@ -1 +0,0 @@
                -a file
                diff --git a/thing b/thing
                new file mode 120000
                --- /dev/null
                +++ b/thing
                @@ -0,0 +1 @@
                +elsewhere
                \\ No newline at end of file
                """);
    }

    @Test
    void directoriesAreNamed() {
        fixture.changed("new/a.txt", "a\n");

        assertThat(fixture.workspace().diff(List.of()).files().getFirst().text())
                .isEqualTo("# added new: directory\n");
    }

    @Test
    void aNameWithALineFeedCannotForgeDiffLines() {
        fixture.changed("a\n+++ b\"x", "text\n");

        String text = fixture.workspace().diff(List.of()).files().getFirst().text();

        assertThat(text).contains("+++ \"b/a\\n+++ b\\\"x\"\n").doesNotContain("\n+++ b\"x");
    }
}
