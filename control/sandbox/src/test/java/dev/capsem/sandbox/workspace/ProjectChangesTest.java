package dev.capsem.sandbox.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.capsem.sandbox.workspace.tree.Change;
import dev.capsem.sandbox.workspace.tree.PathText;
import dev.capsem.sandbox.workspace.tree.WorkspaceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProjectChangesTest {
    @TempDir
    Path root;

    private ProjectFixture fixture;

    @BeforeEach
    void makeFixture() throws IOException {
        fixture = new ProjectFixture(root);
    }

    @Test
    void listsAddedModifiedAndDeletedFilesInOrder() {
        fixture.original("keep.txt", "same")
                .original("edit.txt", "one")
                .original("gone.txt", "bye")
                .changed("edit.txt", "two")
                .changed("sub/new.txt", "hello")
                .deleted("gone.txt");

        assertThat(fixture.changes())
                .containsExactly("MODIFIED edit.txt", "DELETED gone.txt", "ADDED sub", "ADDED sub/new.txt");
    }

    @Test
    void ignoresWhatWasOnlyCopiedUp() {
        fixture.original("touched.txt", "same").changed("touched.txt", "same");

        assertThat(fixture.changes()).isEmpty();
    }

    @Test
    void ignoresWhatWasMadeAndRemovedInside() {
        fixture.deleted("never-in-the-original");

        assertThat(fixture.changes()).isEmpty();
    }

    @Test
    void listsEverythingBelowADeletedDirectory() {
        fixture.original("lib/a/b.txt", "b").original("lib/c.txt", "c").deleted("lib");

        assertThat(fixture.changes())
                .containsExactly("DELETED lib", "DELETED lib/a", "DELETED lib/a/b.txt", "DELETED lib/c.txt");
    }

    @Test
    void anOpaqueDirectoryHidesTheOriginalAllTheWayDown() throws IOException {
        fixture.original("lib/old.txt", "o")
                .original("lib/deep/old.txt", "o")
                .original("lib/deep/kept.txt", "k")
                .opaque("lib")
                .changed("lib/deep/kept.txt", "k");

        assertThat(fixture.changes()).containsExactly("DELETED lib/deep/old.txt", "DELETED lib/old.txt");
    }

    @Test
    void seesModeChangesAndLinksThatPointElsewhere() throws IOException {
        fixture.original("run.sh", "#!/bin/sh\n").changed("run.sh", "#!/bin/sh\n");
        Files.setPosixFilePermissions(fixture.project.resolve("run.sh"), PosixFilePermissions.fromString("rw-r--r--"));
        Files.setPosixFilePermissions(fixture.upper.resolve("run.sh"), PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createSymbolicLink(fixture.project.resolve("link"), Path.of("a"));
        Files.createSymbolicLink(fixture.upper.resolve("link"), Path.of("b"));

        assertThat(fixture.changes()).containsExactly("MODIFIED link", "MODE run.sh");
    }

    @Test
    void aFileInPlaceOfADirectoryIsATypeChangeAndDeletions() {
        fixture.original("thing/inner.txt", "i").changed("thing", "now a file");

        assertThat(fixture.changes()).containsExactly("TYPE thing", "DELETED thing/inner.txt");
    }

    @Test
    void aDirectoryInPlaceOfAFileIsATypeChangeAndAdditions() {
        fixture.original("thing", "a file").changed("thing/inner.txt", "i");

        assertThat(fixture.changes()).containsExactly("TYPE thing", "ADDED thing/inner.txt");
    }

    @Test
    void neverLooksThroughALinkOfTheOriginal() throws IOException {
        Path elsewhere = Files.createDirectory(root.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("secret.txt"), "secret");
        Files.createSymbolicLink(fixture.project.resolve("dir"), elsewhere);
        fixture.changed("dir/secret.txt", "mine");

        assertThat(fixture.changes()).containsExactly("TYPE dir", "ADDED dir/secret.txt");
    }

    @Test
    void neverLooksThroughALinkOfTheGuest() throws IOException {
        Path elsewhere = Files.createDirectory(root.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("secret.txt"), "secret");
        Files.createSymbolicLink(fixture.upper.resolve("dir"), elsewhere);

        assertThat(fixture.changes()).containsExactly("ADDED dir");
        assertThat(fixture.diff().files().getFirst().text())
                .contains(elsewhere.toString())
                .doesNotContain("secret");
    }

    @Test
    void namesFifosWithoutOpeningThem() {
        assumeTrue(MknodNative.fifo(fixture.upper.resolve("pipe")), "this kernel does not let us make a FIFO");

        assertThat(fixture.changes()).containsExactly("SPECIAL pipe");
    }

    @Test
    void reportsADirectoryTheGuestClosed() throws IOException {
        assumeTrue(!"root".equals(System.getProperty("user.name")), "root reads everything: run as a user to see this");
        fixture.changed("closed/inner.txt", "x");
        Files.setPosixFilePermissions(fixture.upper.resolve("closed"), PosixFilePermissions.fromString("---------"));

        assertThat(fixture.changes()).containsExactly("ADDED closed", "UNREADABLE closed");
    }

    @Test
    void namesThatAreNotTextAreKeptApart() throws IOException {
        Path one = PathText.parse("%FFname");
        Path other = PathText.parse("%FEname");
        Files.writeString(fixture.upper.resolve(one), "1");
        Files.writeString(fixture.upper.resolve(other), "2");

        assertThat(fixture.workspace().changes(ProjectFixture.all()))
                .extracting(Change::path)
                .containsExactlyInAnyOrder(one, other);
    }

    @Test
    void aSelectionMeansAPathAndWhatIsBelowIt() {
        fixture.changed("src/a.txt", "a").changed("src/deep/b.txt", "b").changed("srcs/c.txt", "c");

        assertThat(fixture.changes("src/deep")).containsExactly("ADDED src/deep", "ADDED src/deep/b.txt");
        assertThat(fixture.changes("./src/a.txt")).containsExactly("ADDED src/a.txt");
    }

    @Test
    void aSelectionNeverLeadsOutOfTheProject() {
        assertThatThrownBy(() -> fixture.changes("../session"))
                .isInstanceOfSatisfying(
                        WorkspaceException.class,
                        problem -> assertThat(problem.code()).isEqualTo(WorkspaceException.Code.NO_SUCH_CHANGE));
    }

    @Test
    void survivesDirectoriesNestedBeyondReason() throws IOException {
        Path deep = fixture.upper;
        for (int i = 0; i < 250; i++) {
            deep = deep.resolve("d");
        }
        Files.createDirectories(deep);

        assertThat(fixture.changes()).anyMatch(line -> line.startsWith("UNREADABLE"));
    }
}
