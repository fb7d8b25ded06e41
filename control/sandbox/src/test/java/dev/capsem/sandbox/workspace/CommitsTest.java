package dev.capsem.sandbox.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.sandbox.workspace.git.Commits;
import dev.capsem.sandbox.workspace.launch.HostGit;
import dev.capsem.sandbox.workspace.tree.PathText;
import dev.capsem.sandbox.workspace.tree.WorkspaceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A repository of the user's, and what a guest wrote over it: a clone's files, put into the upper layer.
@Tag("sockets")
class CommitsTest {
    private static final HostGit GIT = HostGit.ofThisUser();

    @TempDir
    Path root;

    private ProjectFixture fixture;
    private Path inside;

    @BeforeEach
    void makeFixture() throws IOException {
        fixture = new ProjectFixture(root);
        inside = root.resolve("inside");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sha1", "sha256"})
    void commitsComeBackAsABranchAndNothingElseMoves(String format) throws IOException {
        user(format);
        String main = git(fixture.project, "rev-parse", "main");
        commit(inside, "work");
        lay();

        ApplyOutcome outcome = fixture.workspace().applyCommits();

        assertThat(outcome.failed()).isEmpty();
        assertThat(outcome.branches()).singleElement().satisfies(brought -> {
            assertThat(brought.branch()).isEqualTo("capsem/session/main");
            assertThat(brought.count()).isEqualTo(1);
        });
        assertThat(git(fixture.project, "log", "--format=%s", "main..capsem/session/main"))
                .isEqualTo("work");
        assertThat(git(fixture.project, "rev-parse", "main")).isEqualTo(main);
        assertThat(fixture.workspace().applyCommits().branches()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sha1", "sha256"})
    void gitTakesABinaryPatchWhateverNamesItsBlobsHave(String format) throws IOException {
        user(format);
        Files.write(fixture.project.resolve("old.bin"), new byte[] {0, 1, 2});
        commit(fixture.project, "binary");
        Files.write(fixture.upper.resolve("old.bin"), new byte[] {0, 7, 7, 7});
        Files.write(fixture.upper.resolve("new.bin"), new byte[] {0, 9});

        var patch = new StringBuilder();
        fixture.diff().files().forEach(file -> patch.append(file.text()));
        git(
                fixture.project,
                "apply",
                Files.writeString(root.resolve("patch"), patch).toString());

        assertThat(fixture.project.resolve("old.bin")).hasBinaryContent(new byte[] {0, 7, 7, 7});
        assertThat(fixture.project.resolve("new.bin")).hasBinaryContent(new byte[] {0, 9});
    }

    @ParameterizedTest
    @ValueSource(strings = {"pack-refs --all", "gc --quiet", "checkout --quiet --detach"})
    void packedRefsPacksAndADetachedHeadAreFound(String command) throws IOException {
        user("sha1");
        commit(inside, "work");
        git(inside, command.split(" "));
        lay();

        assertThat(fixture.workspace().applyCommits().branches())
                .extracting(Commits.Brought::branch)
                .containsExactly("capsem/session/main");
    }

    @Test
    void aStashComesBack() throws IOException {
        user("sha1");
        Files.writeString(inside.resolve("a.txt"), "stashed\n");
        git(inside, "-c", "user.name=A", "-c", "user.email=a@example.test", "stash");
        lay();

        assertThat(fixture.workspace().applyCommits().branches())
                .extracting(Commits.Brought::branch)
                .containsExactly("capsem/session/stash");
    }

    @Test
    void tagsComeBackUnderNamesOfTheirOwn() throws IOException {
        user("sha1");
        git(fixture.project, "tag", "v1");
        commit(inside, "work");
        git(inside, "tag", "light");
        git(inside, "-c", "user.name=A", "-c", "user.email=a@example.test", "tag", "-a", "-m", "notes", "v1");
        git(inside, "checkout", "--quiet", "-B", "main", "HEAD~1");
        lay();

        ApplyOutcome outcome = fixture.workspace().applyCommits();

        assertThat(outcome.failed()).isEmpty();
        assertThat(outcome.branches())
                .extracting(Commits.Brought::branch)
                .containsExactly("tags/capsem/session/light", "tags/capsem/session/v1");
        assertThat(git(fixture.project, "tag", "--list")).isEqualTo("capsem/session/light\ncapsem/session/v1\nv1");
        assertThat(git(fixture.project, "rev-parse", "v1")).isEqualTo(git(fixture.project, "rev-parse", "main"));
        assertThat(git(fixture.project, "log", "-1", "--format=%s", "capsem/session/v1"))
                .isEqualTo("work");
    }

    @Test
    void aRewrittenBranchGetsAnotherName() throws IOException {
        user("sha1");
        commit(inside, "first");
        lay();
        fixture.workspace().applyCommits();
        String first = git(fixture.project, "rev-parse", "capsem/session/main");
        git(inside, "reset", "--quiet", "--hard", "HEAD~1");
        commit(inside, "second");
        lay();

        ApplyOutcome outcome = fixture.workspace().applyCommits();

        assertThat(outcome.branches()).extracting(Commits.Brought::branch).containsExactly("capsem/session/main-2");
        assertThat(git(fixture.project, "rev-parse", "capsem/session/main")).isEqualTo(first);
    }

    @Test
    void aCommitWithoutItsObjectsIsRefusedAndLeavesNoBranch() throws IOException {
        user("sha1");
        commit(inside, "work");
        String tree = git(inside, "rev-parse", "HEAD^{tree}");
        lay();
        Files.delete(object(tree));

        ApplyOutcome outcome = fixture.workspace().applyCommits();

        assertThat(outcome.branches()).isEmpty();
        assertThat(outcome.failed()).singleElement().satisfies(problem -> {
            assertThat(problem.reason()).contains("branch main cannot come back");
            assertThat(problem.remedy()).contains("git fsck");
        });
        assertThat(git(fixture.project, "branch", "--list", "capsem/*")).isEmpty();
    }

    @Test
    void anObjectUnderAnotherNameIsNotTaken() throws IOException {
        user("sha1");
        commit(inside, "work");
        String tree = git(inside, "rev-parse", "HEAD^{tree}");
        String blob = git(inside, "rev-parse", "HEAD:work.txt");
        lay();
        Files.copy(object(blob), object(tree), StandardCopyOption.REPLACE_EXISTING);

        assertThat(fixture.workspace().applyCommits().branches()).isEmpty();
        assertThat(git(fixture.project, "branch", "--list", "capsem/*")).isEmpty();
    }

    @Test
    void linksAndAlternatesOfTheGuestsAreNotFollowed() throws IOException {
        user("sha1");
        commit(inside, "work");
        lay();
        Path git = fixture.upper.resolve(".git");
        Files.delete(git.resolve("refs/heads/main"));
        Path secret = Files.writeString(root.resolve("secret"), "c0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ff\n");
        Files.createSymbolicLink(git.resolve("refs/heads/main"), secret);
        Files.createDirectories(git.resolve("objects/info"));
        Files.writeString(git.resolve("objects/info/alternates"), root + "\n");

        assertThat(fixture.diff().commits()).isEmpty();
        assertThat(fixture.workspace().applyCommits().branches()).isEmpty();
    }

    @Test
    void gitIsNotAskedAboutADirectoryThatIsOnlySpelledLikeGits() throws IOException {
        user("sha1");
        commit(inside, "work");
        lay();
        Path other = PathText.parse(".g%E2%80%8Cit");
        Files.move(fixture.project.resolve(".git"), fixture.project.resolve(other));
        Files.move(fixture.upper.resolve(".git"), fixture.upper.resolve(other));

        assertThat(fixture.diff().commits()).isEmpty();
        assertThat(fixture.workspace().applyCommits().branches()).isEmpty();
    }

    @Test
    void branchesInTablesAreNamedAsNotRead() throws IOException {
        user("sha1");
        fixture.recorded().changed(".git/reftable/tables.list", "x.ref\n").changed(".git/refs/heads", "reftable\n");

        assertThat(fixture.diff().skipped())
                .singleElement()
                .satisfies(problem -> assertThat(problem.remedy()).contains("git bundle create"));
        assertThat(fixture.apply().skipped()).hasSize(1);
        assertThat(fixture.workspace().applyCommits().failed()).hasSize(1);
    }

    @Test
    void commitsMadeAfterTheDigestDoNotComeWithIt() throws IOException {
        user("sha1");
        fixture.recorded();
        commit(inside, "read");
        lay();
        String digest = fixture.diff().digest();
        commit(inside, "later");
        lay();

        assertThatThrownBy(() -> fixture.applyAs(digest)).isInstanceOf(WorkspaceException.class);
        assertThat(git(fixture.project, "branch", "--list", "capsem/*")).isEmpty();
    }

    @Test
    void withoutARepositoryOfTheUsersTheCommitsAreNamed() throws IOException {
        user("sha1");
        commit(inside, "work");
        lay();
        remove(fixture.project.resolve(".git"));

        ApplyOutcome outcome = fixture.workspace().applyCommits();

        assertThat(outcome.failed())
                .singleElement()
                .satisfies(problem -> assertThat(problem.remedy()).contains("git init"));
    }

    @ParameterizedTest
    @CsvSource({
        "feature/x, feature/x",
        "a b, a-b",
        ".hidden, hidden",
        "x..y, x.y",
        "name.lock, name-lock",
        "-f, f",
        "a//b, a/b",
        "end., end",
        "'~^:?*[\\', branch"
    })
    void everyNameBecomesOneThatGitTakes(String name, String expected) {
        assertThat(Commits.branchName(name)).isEqualTo(expected);
        assertThat(GIT.run(root, "check-ref-format", "refs/heads/capsem/" + Commits.branchName(name))
                        .succeeded())
                .isTrue();
    }

    /// A repository of the user's with one commit, and a clone of it for the guest's part.
    private void user(String format) throws IOException {
        git(fixture.project, "init", "--quiet", "--template=", "--initial-branch=main", "--object-format=" + format);
        Files.writeString(fixture.project.resolve("a.txt"), "a\n");
        commit(fixture.project, "begin");
        git(root, "clone", "--quiet", "--no-hardlinks", "--template=", "demo", "inside");
    }

    private static void commit(Path work, String subject) throws IOException {
        Files.writeString(work.resolve(subject + ".txt"), subject + "\n");
        git(work, "add", "-A");
        git(work, "-c", "user.name=A", "-c", "user.email=a@example.test", "commit", "--quiet", "-m", subject);
    }

    /// What the guest has in `.git` becomes the upper layer's.
    private void lay() throws IOException {
        Path from = inside.resolve(".git");
        Path to = fixture.upper.resolve(".git");
        remove(to);
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : all.toList()) {
                Path target = to.resolve(from.relativize(path));
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(path, target);
                }
            }
        }
    }

    private Path object(String name) {
        return fixture.upper.resolve(".git/objects/" + name.substring(0, 2) + "/" + name.substring(2));
    }

    private static void remove(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> all = Files.walk(directory)) {
                List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
                for (Path path : deepestFirst) {
                    Files.delete(path);
                }
            }
        }
    }

    private static String git(Path work, String... arguments) {
        HostGit.Result result = GIT.run(work, arguments);
        assertThat(result.succeeded()).as(result.complaint()).isTrue();
        return result.text();
    }
}
