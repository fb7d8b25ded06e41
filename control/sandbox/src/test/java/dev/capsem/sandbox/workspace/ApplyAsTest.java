package dev.capsem.sandbox.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.sandbox.workspace.tree.Anchor;
import dev.capsem.sandbox.workspace.tree.Change;
import dev.capsem.sandbox.workspace.tree.GuestContents;
import dev.capsem.sandbox.workspace.tree.WorkspaceException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a person read is what comes back, or nothing does.
class ApplyAsTest {
    @TempDir
    Path root;

    private ProjectFixture fixture;

    @BeforeEach
    void makeFixture() throws IOException {
        fixture = new ProjectFixture(root);
    }

    @Test
    void bringsBackWhatWasRead() throws IOException {
        fixture.original("a.txt", "one").recorded().changed("a.txt", "two").changed("dir/b.txt", "b");

        ApplyOutcome outcome = fixture.applyAs(fixture.diff().digest());

        assertThat(outcome.applied()).contains(Path.of("a.txt"), Path.of("dir/b.txt"));
        assertThat(fixture.text("a.txt")).isEqualTo("two");
    }

    @Test
    void refusesWhateverDiffersAndWritesNothing() throws IOException {
        fixture.recorded().changed("a.txt", "two").changed("run.sh", "x");
        String digest = fixture.diff().digest();
        fixture.changed("a.txt", "owt");

        assertThatThrownBy(() -> fixture.applyAs(digest)).isInstanceOfSatisfying(WorkspaceException.class, refusal -> {
            assertThat(refusal.code()).isEqualTo(WorkspaceException.Code.NOT_AS_READ);
            assertThat(refusal.remedy()).contains("capsem diff");
        });
        assertThatThrownBy(() -> fixture.applyAs("")).isInstanceOf(WorkspaceException.class);
        assertThat(fixture.project).isEmptyDirectory();

        fixture.changed("a.txt", "two");
        assertThat(fixture.applyAs(digest).applied()).hasSize(2);
    }

    @Test
    void everyKindOfChangeHasADigestOfItsOwn() throws IOException {
        fixture.recorded().changed("a", "x").changed("run.sh", "x");
        String first = fixture.diff().digest();
        fixture.changed("a", "y");
        String content = fixture.diff().digest();
        Files.setAttribute(fixture.upper.resolve("run.sh"), "unix:mode", 0755);
        String mode = fixture.diff().digest();
        Files.createSymbolicLink(fixture.upper.resolve("link"), Path.of("a"));
        String link = fixture.diff().digest();
        Files.delete(fixture.upper.resolve("link"));
        Files.createSymbolicLink(fixture.upper.resolve("link"), Path.of("run.sh"));
        String target = fixture.diff().digest();

        assertThat(List.of(first, content, mode, link, target)).doesNotHaveDuplicates();
        assertThat(fixture.diff("a").digest()).isNotEqualTo(target);
    }

    @Test
    void heldBackFilesWaitAlsoWhenTheyWereRead() throws IOException {
        fixture.recorded().changed("Makefile", "evil").changed("ok.txt", "ok");

        assertThat(fixture.applyAs(fixture.diff().digest()).held()).containsExactly(Path.of("Makefile"));
        assertThat(fixture.project.resolve("Makefile")).doesNotExist();
        assertThat(fixture.applyAs(fixture.diff("Makefile").digest(), "Makefile")
                        .applied())
                .containsExactly(Path.of("Makefile"));
    }

    @Test
    void contentThatChangesBetweenTwoReadsIsNotWritten() throws IOException {
        fixture.recorded().changed("package.json", "{\"name\":\"a\"}");
        try (Anchor upper = Anchor.root(fixture.upper)) {
            var guest = new GuestContents(upper);
            Path path = Path.of("package.json");
            assertThat(guest.bytes(path, 100)).isPresent();
            fixture.changed("package.json", "{\"scripts\":{}}");
            try (Anchor file = upper.descend(path).orElseThrow()) {
                assertThatThrownBy(() -> guest.copy(path, file, new ByteArrayOutputStream()))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("changed in the sandbox while it was read");
            }
        }
    }

    @Test
    void aCheckedFileThatTheGuestSwapsIsNotWritten() throws IOException {
        fixture.original("p.txt", "old").recorded().changed("p.txt", "checked");
        try (Anchor original = Anchor.root(fixture.project);
                Anchor upper = Anchor.root(fixture.upper)) {
            var guest = new GuestContents(upper);
            Path path = Path.of("p.txt");
            guest.hash(path);
            var origin = new Origin(Optional.empty(), new BaseContents(fixture.session), Optional.empty(), original);
            Change change = ProjectChanges.of(original, upper, origin, Selection.of(List.of()))
                    .changes()
                    .getFirst();
            fixture.changed("p.txt", "swapped");

            var writer = new ProjectWriter(original, upper, guest, origin, Map.of());

            assertThatThrownBy(() -> writer.put(change)).isInstanceOf(IOException.class);
        }
        assertThat(fixture.text("p.txt")).isEqualTo("old");
        assertThat(fixture.project).isDirectoryContaining(path -> path.endsWith("p.txt"));
        assertThat(fixture.project.toFile().list()).hasSize(1);
    }
}
