package dev.capsem.sandbox.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.sandbox.workspace.git.Commits;
import dev.capsem.sandbox.workspace.launch.HostGit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a sandbox changed becomes a commit on a branch; nothing of the user's moves.
@Tag("sockets")
class ApplyBranchTest {
    private static final HostGit GIT = HostGit.ofThisUser();

    @TempDir
    Path root;

    private ProjectFixture fixture;
    private Path inside;

    @BeforeEach
    void makeFixture() throws IOException {
        fixture = new ProjectFixture(root);
        inside = root.resolve("inside");
        git(fixture.project, "init", "--quiet", "--template=", "--initial-branch=main");
        fixture.original("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n").original("gone.txt", "gone\n");
        commit(fixture.project, "begin");
        git(root, "clone", "--quiet", "--no-hardlinks", "--template=", "demo", "inside");
        fixture.recorded();
    }

    private String state() {
        return git(fixture.project, "for-each-ref", "refs/heads/main")
                + git(fixture.project, "ls-files", "-s")
                + git(fixture.project, "status", "--porcelain")
                + git(fixture.project, "symbolic-ref", "HEAD");
    }

    @Test
    void changesBecomeOneCommitOnTopOfTheUsers() throws IOException {
        fixture.changed("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n")
                .changed("odd \"na\\me\n/x", "x")
                .deleted("gone.txt");
        Path script = fixture.upper.resolve("run.txt");
        Files.writeString(script, "x");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createSymbolicLink(fixture.upper.resolve("link"), Path.of("a.txt"));
        String before = state();

        ApplyOutcome outcome = fixture.workspace().applyBranch();

        assertThat(outcome.failed()).isEmpty();
        assertThat(outcome.branches()).extracting(Commits.Brought::branch).containsExactly("capsem/session");
        assertThat(git(fixture.project, "diff", "--raw", "--abbrev=4", "-z", "main", "capsem/session"))
                .contains("a.txt", "odd \"na\\me\n/x", "gone.txt", "100755", "120000");
        assertThat(git(fixture.project, "rev-parse", "capsem/session^"))
                .isEqualTo(git(fixture.project, "rev-parse", "main"));
        assertThat(state()).isEqualTo(before);
        assertThat(fixture.text("gone.txt")).isEqualTo("gone\n");
    }

    @Test
    void commitsThatSayAllOfItAreTakenAsTheyAre() throws IOException {
        commit(inside, "work");
        lay();
        fixture.changed("work.txt", "work\n");

        assertThat(fixture.workspace().applyBranch().branches()).hasSize(1);

        assertThat(git(fixture.project, "rev-parse", "capsem/session")).isEqualTo(git(inside, "rev-parse", "main"));
    }

    @Test
    void whatToolsRunStaysOutOfTheTip() throws IOException {
        Files.writeString(inside.resolve("Makefile"), "all:\n");
        commit(inside, "work");
        lay();
        fixture.changed("work.txt", "work\n").changed("Makefile", "all:\n");

        ApplyOutcome outcome = fixture.workspace().applyBranch();

        assertThat(outcome.held()).containsExactly(Path.of("Makefile"));
        assertThat(git(fixture.project, "ls-tree", "-r", "--name-only", "capsem/session")
                        .lines())
                .contains("work.txt")
                .doesNotContain("Makefile");
        assertThat(git(fixture.project, "rev-parse", "capsem/session^2")).isEqualTo(git(inside, "rev-parse", "main"));
    }

    @Test
    void bothSidesChangesAreMergedOrNothingComes() throws IOException {
        fixture.changed("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
        fixture.original("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n");
        commit(fixture.project, "mine");

        assertThat(fixture.workspace().applyBranch().merged()).containsExactly(Path.of("a.txt"));
        assertThat(git(fixture.project, "show", "capsem/session:a.txt"))
                .startsWith("one\n")
                .endsWith("nine");

        fixture.original("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\nneun\n");
        ApplyOutcome refused = fixture.workspace().applyBranch();
        assertThat(refused.refused()).hasSize(1);
        assertThat(refused.branches()).isEmpty();
        assertThat(git(fixture.project, "for-each-ref", "refs/heads/capsem").lines())
                .hasSize(1);
    }

    @Test
    void aBranchThatIsThereStaysAsItIs() {
        git(fixture.project, "branch", "capsem/session");
        String before = git(fixture.project, "rev-parse", "capsem/session");
        fixture.changed("a.txt", "new\n");

        assertThat(fixture.workspace().applyBranch().branches())
                .extracting(Commits.Brought::branch)
                .containsExactly("capsem/session-2");
        assertThat(git(fixture.project, "rev-parse", "capsem/session")).isEqualTo(before);
    }

    @Test
    void withoutChangesThereIsNoBranch() {
        assertThat(fixture.workspace().applyBranch().branches()).isEmpty();
        assertThat(git(fixture.project, "for-each-ref", "refs/heads/capsem")).isEmpty();
    }

    private static void commit(Path work, String subject) throws IOException {
        Files.writeString(work.resolve(subject + ".txt"), subject + "\n");
        git(work, "add", "-A");
        git(work, "-c", "user.name=A", "-c", "user.email=a@example.test", "commit", "--quiet", "-m", subject);
    }

    /// What the guest has in `.git` becomes the upper layer's.
    private void lay() throws IOException {
        Path from = inside.resolve(".git");
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : all.toList()) {
                Path target = fixture.upper.resolve(".git").resolve(from.relativize(path));
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(path, target);
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
