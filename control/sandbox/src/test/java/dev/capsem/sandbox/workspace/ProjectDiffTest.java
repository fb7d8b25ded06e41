package dev.capsem.sandbox.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

        ProjectDiff diff = fixture.diff();

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
    void binaryFilesComeAsPatchesInGitsOwnForm() throws IOException {
        Files.write(fixture.upper.resolve("image.bin"), new byte[] {1, 0, 2});
        Files.write(fixture.upper.resolve("latin1.txt"), new byte[] {'c', 'a', 'f', (byte) 0xe9});

        ProjectDiff diff = fixture.diff();

        assertThat(diff.files()).allSatisfy(file -> assertThat(file.note()).hasValue("binary"));
        assertThat(diff.files().getFirst().text()).isEqualTo("""
                diff --git a/image.bin b/image.bin
                new file mode 100644
                index 0000000000000000000000000000000000000000..c3027df660b44a7a17b1411eed91fe252dd4f46b
                GIT binary patch
                literal 3
                Kc${NoU;+RD2mk~C

                literal 0
                Hc$@<O00001

                """);
    }

    @Test
    void crowdsOfNewFilesAndLargeOnesComeAfterWhatMatters() {
        for (int i = 0; i < 300; i++) {
            fixture.changed("a-crowd/" + i + ".js", "x\n");
        }
        fixture.original("z.lock", "1\n")
                .changed("z.lock", "2\n")
                .changed("b-large.txt", "x\n".repeat(200_000))
                .changed("c-few/one.txt", "1\n");

        ProjectDiff diff = fixture.diff();

        assertThat(diff.files().stream().map(file -> file.change().path().toString()))
                .startsWith("c-few", "c-few/one.txt", "z.lock", "a-crowd")
                .endsWith("b-large.txt");
        assertThat(diff.cut()).isZero();
    }

    @Test
    void theCutCountsWhatItLeavesOut() {
        fixture.changed("small.txt", "s\n");
        for (int i = 0; i < 4; i++) {
            fixture.changed("large" + i, "123456789\n".repeat(300_000));
        }

        ProjectDiff diff = fixture.diff();

        assertThat(diff.cut()).isEqualTo(2);
        assertThat(diff.files().getFirst().text()).contains("+s");
        assertThat(diff.files().getLast().note())
                .hasValueSatisfying(note -> assertThat(note).contains("8 MiB"));
    }

    @Test
    void whereTheUserMovedOnItShowsWhatTheGuestChanged() {
        fixture.original("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n").recorded();
        fixture.changed("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\nguest\n").original("a.txt", "user\n2\n3\n4\n5\n6\n7\n8\n9\n");

        assertThat(fixture.diff().files().getFirst().text()).contains("+guest").doesNotContain("user");
    }

    @Test
    void largeFilesAreNamedNotShown() {
        fixture.original("log.txt", "short\n").changed("log.txt", "x".repeat(ProjectDiff.SHOWN_FILE_BYTES_MAX + 1));

        assertThat(fixture.diff().files().getFirst().note()).hasValue("too large to show");
    }

    @Test
    void aChangeOfTypeIsADeletionAndAnAddition() throws IOException {
        fixture.original("thing", "a file\n");
        Files.createSymbolicLink(fixture.upper.resolve("thing"), Path.of("elsewhere"));

        assertThat(fixture.diff().files().getFirst().text()).isEqualTo("""
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

        assertThat(fixture.diff().files().getFirst().text()).isEqualTo("# added new: directory\n");
    }

    @Test
    void aNameWithALineFeedCannotForgeDiffLines() {
        fixture.changed("a\n+++ b\"x", "text\n");

        String text = fixture.diff().files().getFirst().text();

        assertThat(text).contains("+++ \"b/a\\n+++ b\\\"x\"\n").doesNotContain("\n+++ b\"x");
    }
}
