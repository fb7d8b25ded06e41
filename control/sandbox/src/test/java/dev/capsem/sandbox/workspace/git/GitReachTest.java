package dev.capsem.sandbox.workspace.git;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GitReachTest {
    @TempDir
    private Path host = Path.of("replaced by JUnit");

    private Path repository(String name) throws IOException {
        Path git = host.resolve(name).resolve(".git");
        Files.createDirectories(git.resolve("objects/info"));
        Files.createDirectories(git.resolve("refs/heads"));
        Files.writeString(git.resolve("HEAD"), "ref: refs/heads/main\n");
        Files.writeString(git.resolve("config"), "[core]\n\tbare = false\n");
        return host.resolve(name);
    }

    /// As `git worktree add` makes it.
    private void worktree(Path of, Path at, String name) throws IOException {
        Path entry = Files.createDirectories(of.resolve(".git/worktrees").resolve(name));
        Files.writeString(entry.resolve("gitdir"), at.resolve(".git") + "\n");
        Files.writeString(entry.resolve("commondir"), "../..\n");
        Files.writeString(entry.resolve("HEAD"), "ref: refs/heads/" + name + "\n");
        Files.createDirectories(at);
        Files.writeString(at.resolve(".git"), "gitdir: " + entry + "\n");
    }

    @Test
    void ordinaryRepositoriesAndPlainDirectoriesAreFine() throws IOException {
        Path main = repository("main");
        Files.createDirectories(host.resolve("plain"));

        assertThat(GitReach.troubles(main, true)).isEmpty();
        assertThat(GitReach.troubles(main, false)).isEmpty();
        assertThat(GitReach.troubles(host.resolve("plain"), true)).isEmpty();
    }

    @Test
    void borrowedObjectsAreNamedWithTheWayToOwnThem() throws IOException {
        Path shared = repository("shared");
        Files.writeString(shared.resolve(".git/objects/info/alternates"), "# from\n/srv/base\u001b/.git/objects\n");

        assertThat(GitReach.troubles(shared, true))
                .singleElement()
                .asString()
                .contains("borrows objects from /srv/base?/.git/objects")
                .contains("git repack -a -d && rm " + shared.resolve(".git/objects/info/alternates"));
        assertThat(GitReach.troubles(shared, false)).hasSize(1);
        Files.writeString(shared.resolve(".git/objects/info/alternates"), "../../more/objects\n");
        assertThat(GitReach.troubles(shared, true)).as("inside of the project").isEmpty();
        Files.writeString(shared.resolve(".git/objects/info/alternates"), "../../../other/objects\n");
        assertThat(GitReach.troubles(shared, true)).hasSize(1);
    }

    @Test
    void aWorktreeWorksAsACopyOnly() throws IOException {
        Path main = repository("main");
        Path tree = host.resolve("tree");
        worktree(main, tree, "tree");

        assertThat(GitReach.troubles(tree, true)).isEmpty();
        assertThat(GitReach.troubles(tree, false))
                .singleElement()
                .asString()
                .contains(".git names " + main.resolve(".git/worktrees/tree"))
                .contains("lend it without --rw");
        Files.writeString(main.resolve(".git/worktrees/tree/gitdir"), "/elsewhere/.git\n");
        assertThat(GitReach.troubles(tree, true))
                .as("a repository that does not know of it is not lent")
                .singleElement()
                .asString()
                .contains("git worktree repair");
    }

    @Test
    void aWorktreeOfAClonedRepositoryBorrowsToo() throws IOException {
        Path main = repository("main");
        Path tree = host.resolve("tree");
        worktree(main, tree, "tree");
        Files.writeString(main.resolve(".git/objects/info/alternates"), "/srv/base/.git/objects\n");

        assertThat(GitReach.troubles(tree, true)).singleElement().asString().contains("/srv/base/.git/objects");
    }

    @Test
    void aWorktreeThatStandsInTheProjectIsNamed() throws IOException {
        Path main = repository("main");
        worktree(main, main.resolve("nested/tree"), "tree");
        worktree(main, host.resolve("beside"), "beside");

        assertThat(GitReach.troubles(main, true))
                .singleElement()
                .asString()
                .contains("in the worktree nested/tree")
                .contains("git worktree repair --relative-paths");
        Files.writeString(main.resolve("nested/tree/.git"), "gitdir: ../../.git/worktrees/tree\n");
        assertThat(GitReach.troubles(main, true)).isEmpty();
    }
}
