package dev.capsem.sandbox.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.capsem.sandbox.workspace.tree.ApplyProblem;
import dev.capsem.sandbox.workspace.tree.FileFacts;
import dev.capsem.sandbox.workspace.tree.WorkspaceException;
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

        ApplyOutcome outcome = fixture.apply();

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

        ApplyOutcome outcome = fixture.apply("src/a.txt");

        assertThat(outcome.applied()).containsExactly(Path.of("src/a.txt"));
        assertThat(fixture.text("src/a.txt")).isEqualTo("a");
        assertThat(fixture.changes()).containsExactly("ADDED other.txt", "ADDED src/b.txt");
    }

    @Test
    void refusesAllWhenOneOriginalMovedOn() throws IOException {
        fixture.original("a.txt", "one").recorded().changed("a.txt", "guest").changed("new.txt", "n");
        Files.writeString(fixture.project.resolve("a.txt"), "user");

        ApplyOutcome outcome = fixture.apply();

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

        assertThat(fixture.apply().refused()).hasSize(1);
    }

    @Test
    void refusesWhatAppearedOrVanishedInTheOriginal() throws IOException {
        fixture.original("vanished.txt", "v")
                .recorded()
                .changed("vanished.txt", "guest")
                .changed("appeared.txt", "guest");
        Files.delete(fixture.project.resolve("vanished.txt"));
        fixture.original("appeared.txt", "user");

        assertThat(fixture.apply().refused())
                .extracting(ApplyProblem::reason)
                .containsExactly(
                        "appeared in the original since the sandbox was made",
                        "was removed from the original since the sandbox was made");
    }

    @Test
    void refusesToDeleteADirectoryWithNewFilesInIt() throws IOException {
        fixture.original("lib/a.txt", "a").recorded().deleted("lib").original("lib/new.txt", "user");

        ApplyOutcome outcome = fixture.apply();

        assertThat(outcome.refused()).extracting(ApplyProblem::path).containsExactly(Path.of("lib/new.txt"));
        assertThat(fixture.text("lib/a.txt")).isEqualTo("a");
    }

    @Test
    void forceKeepsACopyOfWhatItOverwrites() throws IOException {
        fixture.original("a.txt", "one")
                .original("gone/b.txt", "b")
                .recorded()
                .changed("a.txt", "guest")
                .deleted("gone");
        Files.writeString(fixture.project.resolve("a.txt"), "user");
        Files.writeString(fixture.project.resolve("gone/b.txt"), "user's b");

        ApplyOutcome outcome = fixture.force();

        assertThat(outcome.applied()).contains(Path.of("a.txt"), Path.of("gone/b.txt"));
        assertThat(fixture.text("a.txt")).isEqualTo("guest");
        Path kept = outcome.kept().orElseThrow();
        assertThat(kept.resolve("a.txt")).hasContent("user");
        assertThat(kept.resolve("gone/b.txt")).hasContent("user's b");
    }

    @Test
    void aFileThatWasOnlyTouchedDidNotMoveOn() throws IOException {
        fixture.original("a.txt", "one\n").recorded().changed("a.txt", "two\n");
        Files.delete(fixture.project.resolve("a.txt"));
        fixture.original("a.txt", "one\n");

        ApplyOutcome outcome = fixture.apply();

        assertThat(outcome.refused()).isEmpty();
        assertThat(outcome.kept()).isEmpty();
        assertThat(fixture.text("a.txt")).isEqualTo("two\n");
    }

    @Test
    void mergesWhereBothSidesChangedOtherLines() throws IOException {
        fixture.original("a.txt", "1\n2\n3\n4\n5\n")
                .recorded()
                .changed("a.txt", "1\n2\n3\n4\nguest\n")
                .original("a.txt", "user\n2\n3\n4\n5\n");

        ApplyOutcome outcome = fixture.apply();

        assertThat(outcome.merged()).containsExactly(Path.of("a.txt"));
        assertThat(fixture.text("a.txt")).isEqualTo("user\n2\n3\n4\nguest\n");
        assertThat(outcome.kept().orElseThrow().resolve("a.txt")).hasContent("user\n2\n3\n4\n5\n");
        assertThat(fixture.changes()).isEmpty();

        fixture.changed("a.txt", "1\n2\n3\nmore\nguest\n");

        assertThat(fixture.apply().merged()).containsExactly(Path.of("a.txt"));
        assertThat(fixture.text("a.txt")).isEqualTo("user\n2\n3\nmore\nguest\n");
    }

    @Test
    void namesTheLinesWhereBothSidesMeetAndWritesNothing() throws IOException {
        fixture.original("a.txt", "1\n2\n3\n4\n5\n")
                .recorded()
                .changed("a.txt", "1\nguest\n3\n4\n5\n")
                .changed("b.txt", "b")
                .original("a.txt", "1\nuser\n3\n4\n5\n");

        ApplyOutcome outcome = fixture.apply();

        assertThat(outcome.refused())
                .singleElement()
                .satisfies(problem -> assertThat(problem.reason()).contains("line 2 of yours"));
        assertThat(fixture.text("a.txt")).isEqualTo("1\nuser\n3\n4\n5\n");
        assertThat(fixture.project.resolve("b.txt")).doesNotExist();
    }

    @Test
    void whatTheGuestOnlyCopiedUpNeverTakesTheUsersWorkBack() throws IOException {
        fixture.original("a.txt", "one\n")
                .original("removed.txt", "r\n")
                .recorded()
                .changed("a.txt", "one\n")
                .changed("removed.txt", "r\n")
                .original("a.txt", "newer\n");
        Files.delete(fixture.project.resolve("removed.txt"));

        assertThat(fixture.force().applied()).isEmpty();
        assertThat(fixture.text("a.txt")).isEqualTo("newer\n");
        assertThat(fixture.project.resolve("removed.txt")).doesNotExist();
    }

    @Test
    void theUsersModeStaysWhereTheGuestChangedOnlyContent() throws IOException {
        fixture.original("run.sh", "one\n").recorded().changed("run.sh", "two\n");
        Files.setAttribute(fixture.project.resolve("run.sh"), "unix:mode", 0755);

        fixture.apply();

        assertThat(fixture.text("run.sh")).isEqualTo("two\n");
        assertThat(FileFacts.of(fixture.project.resolve("run.sh")).permissions())
                .isEqualTo(0755);
    }

    @Test
    void whatItWroteItselfDidNotMoveOn() throws IOException {
        fixture.original("a.txt", "one").recorded().changed("a.txt", "two");
        fixture.apply();
        fixture.changed("a.txt", "three");

        assertThat(fixture.apply().applied()).containsExactly(Path.of("a.txt"));
        assertThat(fixture.text("a.txt")).isEqualTo("three");
    }

    @Test
    void neverWritesThroughALinkOutOfTheProject() throws IOException {
        Path elsewhere = Files.createDirectory(root.resolve("elsewhere"));
        Files.createSymbolicLink(fixture.project.resolve("dir"), elsewhere);
        fixture.recorded().changed("dir/planted.txt", "guest");

        ApplyOutcome chosenAlone = fixture.force("dir/planted.txt");

        assertThat(chosenAlone.applied()).isEmpty();
        assertThat(chosenAlone.failed()).hasSize(1);
        assertThat(elsewhere).isEmptyDirectory();
    }

    @Test
    void holdsBackLinksThatLeadOutUntilTheyAreNamed() throws IOException {
        fixture.recorded().changed("ok.txt", "ok");
        Files.createSymbolicLink(fixture.upper.resolve("out"), Path.of("../../etc"));

        ApplyOutcome all = fixture.apply();

        assertThat(all.applied()).contains(Path.of("ok.txt"));
        assertThat(all.skipped()).extracting(ApplyProblem::path).containsExactly(Path.of("out"));

        assertThat(fixture.apply("out").applied()).containsExactly(Path.of("out"));
    }

    @Test
    void holdsBackLinksThatLeadOutThroughAnotherLink() throws IOException {
        fixture.recorded().changed("p/q/r/file", "x");
        Files.createSymbolicLink(fixture.upper.resolve("p/q/r/up"), Path.of("../../.."));
        Files.createSymbolicLink(fixture.upper.resolve("out"), Path.of("p/q/r/up/../.."));
        Files.createSymbolicLink(fixture.upper.resolve("fine"), Path.of("p/q/r/file"));

        ApplyOutcome all = fixture.apply();

        assertThat(all.skipped()).extracting(ApplyProblem::path).containsExactly(Path.of("out"));
        assertThat(fixture.project.resolve("out")).doesNotExist();
        assertThat(fixture.text("fine")).isEqualTo("x");
    }

    @Test
    void holdsBackWhatToolsRunUntilItIsNamed() throws IOException {
        fixture.original(".vscode/tasks.json", "{}")
                .recorded()
                .changed(".vscode/tasks.json", "{evil}")
                .changed("sub/.envrc", "evil")
                .changed(".husky/pre-commit", "evil")
                .changed("ok.txt", "ok");

        ApplyOutcome all = fixture.force();

        assertThat(all.applied()).contains(Path.of("ok.txt"));
        assertThat(all.skipped())
                .extracting(ApplyProblem::path)
                .containsExactly(Path.of(".husky/pre-commit"), Path.of(".vscode/tasks.json"), Path.of("sub/.envrc"));
        assertThat(fixture.text(".vscode/tasks.json")).isEqualTo("{}");
        assertThat(fixture.project.resolve("sub/.envrc")).doesNotExist();
        assertThat(fixture.apply("sub/.envrc").applied()).containsExactly(Path.of("sub/.envrc"));
    }

    @Test
    void neverBringsGitsOwnFilesBackEvenNamedAndForced() throws IOException {
        fixture.original(".git/refs/heads/main", "mine\n")
                .original(".git/index", "index")
                .recorded()
                .changed(".git/refs/heads/main", "the guest's\n")
                .changed(".git/hooks/pre-commit", "#!/bin/sh\n")
                .changed("sub/.git", "gitdir: ../data\n")
                .changed("data/HEAD", "ref: refs/heads/x\n")
                .changed("data/config", "[core]\n fsmonitor = evil\n")
                .changed("data/objects/pack/p", "")
                .changed("data/refs/heads/x", "")
                .changed("sub/ok.txt", "ok");
        fixture.original(".git/index", "a refreshed index");

        ApplyOutcome outcome = fixture.force();

        assertThat(outcome.applied()).containsExactly(Path.of("sub"), Path.of("sub/ok.txt"));
        assertThat(outcome.refused()).isEmpty();
        assertThat(fixture.text(".git/refs/heads/main")).isEqualTo("mine\n");
        assertThat(fixture.project.resolve(".git/hooks")).doesNotExist();
        assertThat(fixture.project.resolve("sub/.git")).doesNotExist();
        assertThat(fixture.project.resolve("data")).doesNotExist();
        assertThatThrownBy(() -> fixture.force(".git/hooks/pre-commit"))
                .isInstanceOfSatisfying(
                        WorkspaceException.class,
                        problem -> assertThat(problem.code()).isEqualTo(WorkspaceException.Code.GIT_OWN));
        assertThat(fixture.changes()).isEmpty();
    }

    @Test
    void aRepositoryOfTheUsersStaysWhereTheGuestRemovedItsDirectory() throws IOException {
        fixture.original("lib/dep/.git/HEAD", "ref: refs/heads/main\n")
                .original("lib/dep/a.txt", "a")
                .original("plain/b.txt", "b")
                .recorded()
                .deleted("lib")
                .deleted("plain");

        ApplyOutcome outcome = fixture.force();

        assertThat(outcome.failed()).isEmpty();
        assertThat(outcome.skipped())
                .extracting(ApplyProblem::path)
                .containsExactly(Path.of("lib"), Path.of("lib/dep"));
        assertThat(fixture.text("lib/dep/.git/HEAD")).isEqualTo("ref: refs/heads/main\n");
        assertThat(fixture.project.resolve("plain")).doesNotExist();
    }

    @Test
    void skipsFifosAndAppliesTheRest() throws IOException {
        fixture.recorded().changed("a.txt", "a");
        assumeTrue(MknodNative.fifo(fixture.upper.resolve("pipe")), "this kernel does not let us make a FIFO");

        ApplyOutcome outcome = fixture.apply();

        assertThat(outcome.applied()).containsExactly(Path.of("a.txt"));
        assertThat(outcome.skipped()).extracting(ApplyProblem::path).containsExactly(Path.of("pipe"));
        assertThat(fixture.project.resolve("pipe")).doesNotExist();
    }

    @Test
    void keepsModesButNotSetuid() throws IOException {
        fixture.recorded().changed("tool", "x");
        Files.setAttribute(fixture.upper.resolve("tool"), "unix:mode", 04750);

        fixture.apply();

        assertThat(FileFacts.of(fixture.project.resolve("tool")).permissions()).isEqualTo(0750);
    }

    @Test
    void writesIntoADirectoryThatEndsReadOnly() throws IOException {
        fixture.recorded().changed("locked/a.txt", "a");
        Files.setPosixFilePermissions(fixture.upper.resolve("locked"), PosixFilePermissions.fromString("r-xr-xr-x"));

        ApplyOutcome outcome = fixture.apply();

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

        fixture.apply();

        for (String path : List.of("new", "new/file.txt", "link")) {
            FileFacts facts = FileFacts.of(fixture.project.resolve(path), LinkOption.NOFOLLOW_LINKS);
            assertThat(facts.owner()).as(path).isEqualTo(1234);
            assertThat(facts.group()).as(path).isEqualTo(1234);
        }
    }

    @Test
    void aNameWithoutAChangeIsAnError() {
        fixture.recorded().changed("a.txt", "a");

        assertThatThrownBy(() -> fixture.apply("a.txt", "typo.txt"))
                .isInstanceOf(WorkspaceException.class)
                .hasMessageContaining("typo.txt");
        assertThat(fixture.project.resolve("a.txt")).doesNotExist();
    }

    @Test
    void withoutAManifestOnlyForceApplies() throws IOException {
        fixture.changed("a.txt", "a");

        assertThatThrownBy(() -> fixture.apply()).isInstanceOf(WorkspaceException.class);

        assertThat(fixture.force().applied()).containsExactly(Path.of("a.txt"));
    }

    @Test
    void aProjectNeverWrittenToHasNothingToApply() throws IOException {
        Files.delete(fixture.upper);

        assertThat(fixture.apply().applied()).isEmpty();
        assertThat(fixture.diff().files()).isEmpty();
    }
}
