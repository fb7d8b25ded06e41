package dev.capsem.sandbox.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProjectApplyTest {
    @TempDir
    Path root;

    private ProjectFixture fixture;

    @BeforeEach
    void makeFixture() throws IOException {
        fixture = new ProjectFixture(root);
    }

    @Test
    void bringsEverythingBackAndNothingIsLeftToShow() throws IOException {
        fixture.original("edit.txt", "one")
                .original("gone/a.txt", "a")
                .original("file-to-dir", "f")
                .original("dir-to-file/x", "x")
                .recorded()
                .changed("edit.txt", "two")
                .changed("new/deep/b.txt", "b")
                .changed("file-to-dir/inner", "i")
                .changed("dir-to-file", "now a file")
                .deleted("gone");
        Files.createSymbolicLink(fixture.upper.resolve("link"), Path.of("edit.txt"));

        ApplyOutcome outcome = fixture.workspace().apply(List.of(), false);

        assertThat(outcome.refused()).isEmpty();
        assertThat(outcome.failed()).isEmpty();
        assertThat(fixture.text("edit.txt")).isEqualTo("two");
        assertThat(fixture.text("new/deep/b.txt")).isEqualTo("b");
        assertThat(fixture.text("file-to-dir/inner")).isEqualTo("i");
        assertThat(fixture.text("dir-to-file")).isEqualTo("now a file");
        assertThat(fixture.project.resolve("gone")).doesNotExist();
        assertThat(Files.readSymbolicLink(fixture.project.resolve("link"))).isEqualTo(Path.of("edit.txt"));
        assertThat(fixture.changes()).isEmpty();
    }

    @Test
    void bringsOnlyTheChosenPathsBack() throws IOException {
        fixture.recorded().changed("src/a.txt", "a").changed("src/b.txt", "b").changed("other.txt", "o");

        ApplyOutcome outcome = fixture.workspace().apply(List.of("src/a.txt"), false);

        assertThat(outcome.applied()).containsExactly(Path.of("src/a.txt"));
        assertThat(fixture.text("src/a.txt")).isEqualTo("a");
        assertThat(fixture.changes()).containsExactly("ADDED other.txt", "ADDED src/b.txt");
    }

    @Test
    void refusesAllWhenOneOriginalMovedOn() throws IOException {
        fixture.original("a.txt", "one").recorded().changed("a.txt", "guest").changed("new.txt", "n");
        Files.writeString(fixture.project.resolve("a.txt"), "user");

        ApplyOutcome outcome = fixture.workspace().apply(List.of(), false);

        assertThat(outcome.applied()).isEmpty();
        assertThat(outcome.refused()).hasSize(1).first().satisfies(problem -> {
            assertThat(problem.path()).isEqualTo(Path.of("a.txt"));
            assertThat(problem.reason()).contains("changed in the original");
            assertThat(problem.remedy()).contains("--force");
        });
        assertThat(fixture.text("a.txt")).isEqualTo("user");
        assertThat(fixture.project.resolve("new.txt")).doesNotExist();
    }

    @Test
    void noticesAReplacementOfTheSameSizeAndTime() throws IOException {
        fixture.original("a.txt", "one").recorded().changed("a.txt", "guest");
        Path file = fixture.project.resolve("a.txt");
        var modified = Files.getLastModifiedTime(file);
        Path replacement = Files.writeString(fixture.project.resolve("b"), "two");
        Files.setLastModifiedTime(replacement, modified);
        Files.delete(file);
        Files.move(replacement, file);

        assertThat(fixture.workspace().apply(List.of(), false).refused()).hasSize(1);
    }

    @Test
    void refusesWhatAppearedOrVanishedInTheOriginal() throws IOException {
        fixture.original("vanished.txt", "v")
                .recorded()
                .changed("vanished.txt", "guest")
                .changed("appeared.txt", "guest");
        Files.delete(fixture.project.resolve("vanished.txt"));
        fixture.original("appeared.txt", "user");

        assertThat(fixture.workspace().apply(List.of(), false).refused())
                .extracting(ApplyOutcome.Problem::reason)
                .containsExactly(
                        "appeared in the original since the sandbox was made",
                        "was removed from the original since the sandbox was made");
    }

    @Test
    void refusesToDeleteADirectoryWithNewFilesInIt() throws IOException {
        fixture.original("lib/a.txt", "a").recorded().deleted("lib").original("lib/new.txt", "user");

        ApplyOutcome outcome = fixture.workspace().apply(List.of(), false);

        assertThat(outcome.refused()).extracting(ApplyOutcome.Problem::path).containsExactly(Path.of("lib/new.txt"));
        assertThat(fixture.text("lib/a.txt")).isEqualTo("a");
    }

    @Test
    void forceOverwritesWhatMovedOn() throws IOException {
        fixture.original("a.txt", "one").recorded().changed("a.txt", "guest");
        Files.writeString(fixture.project.resolve("a.txt"), "user");

        ApplyOutcome outcome = fixture.workspace().apply(List.of(), true);

        assertThat(outcome.applied()).containsExactly(Path.of("a.txt"));
        assertThat(fixture.text("a.txt")).isEqualTo("guest");
    }

    @Test
    void whatItWroteItselfDidNotMoveOn() throws IOException {
        fixture.original("a.txt", "one").recorded().changed("a.txt", "two");
        fixture.workspace().apply(List.of(), false);
        fixture.changed("a.txt", "three");

        assertThat(fixture.workspace().apply(List.of(), false).applied()).containsExactly(Path.of("a.txt"));
        assertThat(fixture.text("a.txt")).isEqualTo("three");
    }

    @Test
    void neverWritesThroughALinkOutOfTheProject() throws IOException {
        Path elsewhere = Files.createDirectory(root.resolve("elsewhere"));
        Files.createSymbolicLink(fixture.project.resolve("dir"), elsewhere);
        fixture.recorded().changed("dir/planted.txt", "guest");

        ApplyOutcome chosenAlone = fixture.workspace().apply(List.of("dir/planted.txt"), true);

        assertThat(chosenAlone.applied()).isEmpty();
        assertThat(chosenAlone.failed()).hasSize(1);
        assertThat(elsewhere).isEmptyDirectory();
    }

    @Test
    void holdsBackWhatWouldActOnTheHostUntilItIsNamed() throws IOException {
        fixture.recorded().changed(".git/hooks/pre-commit", "#!/bin/sh\n").changed("ok.txt", "ok");
        Files.createSymbolicLink(fixture.upper.resolve("out"), Path.of("../../etc"));

        ApplyOutcome all = fixture.workspace().apply(List.of(), false);

        assertThat(all.applied()).contains(Path.of("ok.txt"));
        assertThat(all.skipped())
                .extracting(ApplyOutcome.Problem::path)
                .containsExactly(Path.of(".git/hooks/pre-commit"), Path.of("out"));
        assertThat(fixture.project.resolve(".git/hooks/pre-commit")).doesNotExist();

        ApplyOutcome named = fixture.workspace().apply(List.of(".git/hooks/pre-commit"), false);

        assertThat(named.applied()).containsExactly(Path.of(".git/hooks/pre-commit"));
    }

    @Test
    void skipsFifosAndAppliesTheRest() throws IOException {
        fixture.recorded().changed("a.txt", "a");
        assumeTrue(MknodNative.fifo(fixture.upper.resolve("pipe")), "this kernel does not let us make a FIFO");

        ApplyOutcome outcome = fixture.workspace().apply(List.of(), false);

        assertThat(outcome.applied()).containsExactly(Path.of("a.txt"));
        assertThat(outcome.skipped()).extracting(ApplyOutcome.Problem::path).containsExactly(Path.of("pipe"));
        assertThat(fixture.project.resolve("pipe")).doesNotExist();
    }

    @Test
    void keepsModesButNotSetuid() throws IOException {
        fixture.recorded().changed("tool", "x");
        Files.setAttribute(fixture.upper.resolve("tool"), "unix:mode", 04750);

        fixture.workspace().apply(List.of(), false);

        assertThat(FileFacts.of(fixture.project.resolve("tool")).permissions()).isEqualTo(0750);
    }

    @Test
    void writesIntoADirectoryThatEndsReadOnly() throws IOException {
        fixture.recorded().changed("locked/a.txt", "a");
        Files.setPosixFilePermissions(fixture.upper.resolve("locked"), PosixFilePermissions.fromString("r-xr-xr-x"));

        ApplyOutcome outcome = fixture.workspace().apply(List.of(), false);

        assertThat(outcome.failed()).isEmpty();
        assertThat(fixture.text("locked/a.txt")).isEqualTo("a");
        assertThat(FileFacts.of(fixture.project.resolve("locked")).permissions())
                .isEqualTo(0555);
    }

    @Test
    void asRootTheProjectsOwnerOwnsWhatComesBack() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root has files of other owners to test with");
        for (String attribute : List.of("unix:uid", "unix:gid")) {
            Files.setAttribute(fixture.project, attribute, 1234);
        }
        fixture.recorded().changed("new/file.txt", "x");
        try (Stream<Path> guests = Files.walk(fixture.upper)) {
            for (Path path : guests.toList()) {
                Files.setAttribute(path, "unix:uid", 500_000);
            }
        }
        Files.createSymbolicLink(fixture.upper.resolve("link"), Path.of("new"));

        fixture.workspace().apply(List.of(), false);

        for (String path : List.of("new", "new/file.txt", "link")) {
            FileFacts facts = FileFacts.of(fixture.project.resolve(path), LinkOption.NOFOLLOW_LINKS);
            assertThat(facts.owner()).as(path).isEqualTo(1234);
            assertThat(facts.group()).as(path).isEqualTo(1234);
        }
    }

    @Test
    void aNameWithoutAChangeIsAnError() {
        fixture.recorded().changed("a.txt", "a");

        assertThatThrownBy(() -> fixture.workspace().apply(List.of("a.txt", "typo.txt"), false))
                .isInstanceOf(WorkspaceException.class)
                .hasMessageContaining("typo.txt");
        assertThat(fixture.project.resolve("a.txt")).doesNotExist();
    }

    @Test
    void withoutAManifestOnlyForceApplies() throws IOException {
        fixture.changed("a.txt", "a");

        assertThatThrownBy(() -> fixture.workspace().apply(List.of(), false)).isInstanceOf(WorkspaceException.class);

        assertThat(fixture.workspace().apply(List.of(), true).applied()).containsExactly(Path.of("a.txt"));
    }

    @Test
    void aProjectNeverWrittenToHasNothingToApply() throws IOException {
        Files.delete(fixture.upper);

        assertThat(fixture.workspace().apply(List.of(), false).applied()).isEmpty();
        assertThat(fixture.workspace().diff(List.of()).files()).isEmpty();
    }
}
