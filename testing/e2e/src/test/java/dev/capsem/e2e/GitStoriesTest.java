package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// An agent and a person work on one repository: whatever both do, nothing of the person's is lost, and nothing of the
/// agent's runs on the host.
@Tag("e2e")
class GitStoriesTest {
    static List<Account> accounts() {
        return Account.available();
    }

    /// For what does not depend on who runs it.
    static List<Account> user() {
        return List.of(Account.USER);
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void theAgentCommitsAndICommit(Account account) throws IOException {
        try (Installation installation = Installation.shared(account)) {
            GitProject project = GitProject.make(installation);
            String id = project.lent();
            project.inside(id, "sed -i 's/^1$/agent/' a.txt && git commit -q -a -m 'work of the agent'");
            project.host("sed -i 's/^9$/mine/' a.txt && git commit -q -a -m 'work of mine'");
            project.host("echo wip >> b.txt && git stash -q && git status");
            String mine = project.ownState();

            Outcome diff = project.capsem("diff", id);
            Outcome applied = project.capsem("apply", id);

            assertThat(diff.stdout()).contains("+agent").doesNotContain("mine").doesNotContain(".git/");
            assertThat(diff.stderr()).contains("new commits inside on main");
            assertThat(applied.exitCode()).as("%s", applied.stderr()).isZero();
            assertThat(applied.stderr()).contains("merged with yours: a.txt").contains("capsem/" + id + "/main");
            assertThat(project.directory().resolve("a.txt")).hasContent("agent\n2\n3\n4\n5\n6\n7\n8\nmine\n");
            assertThat(project.ownState()).isEqualTo(mine);
            assertThat(project.host("git log --format=%s main..capsem/" + id + "/main"))
                    .isEqualTo("work of the agent");
            project.host("git stash -q && git merge -q --no-edit capsem/" + id + "/main && git fsck --strict");
            assertThat(project.directory().resolve("a.txt")).hasContent("agent\n2\n3\n4\n5\n6\n7\n8\nmine\n");
        }
    }

    @ParameterizedTest
    @MethodSource("user")
    void forceAfterMyCommitLosesNothingOfMine(Account account) throws IOException {
        try (Installation installation = Installation.shared(account)) {
            GitProject project = GitProject.make(installation);
            String id = project.lent();
            project.inside(id, "sed -i 's/^5$/agent/' a.txt && git commit -q -a -m agent && git gc -q");
            project.host("sed -i 's/^5$/mine/' a.txt && git commit -q -a -m mine");
            project.host("echo staged >> b.txt && git add b.txt && sed -i 's/^6$/not committed/' a.txt");
            String mine = project.ownState();

            Outcome refused = project.capsem("apply", id);
            String afterRefusal = Files.readString(project.directory().resolve("a.txt"));
            Outcome forced = project.capsem("apply", id, "--force", "--json");

            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.stderr()).contains("a.txt").contains("lines 5–6 of yours");
            assertThat(afterRefusal).contains("mine\nnot committed\n");
            assertThat(forced.exitCode()).as("%s", forced.stderr()).isZero();
            assertThat(project.directory().resolve("a.txt")).hasContent("1\n2\n3\n4\nagent\n6\n7\n8\n9\n");
            Path kept = Path.of(Installation.JSON
                    .readTree(forced.stdout())
                    .path("kept")
                    .path("directory")
                    .asString());
            assertThat(kept.resolve("a.txt")).hasContent(afterRefusal);
            assertThat(project.ownState()).isEqualTo(mine);
            assertThat(project.host("git reflog --format=%gs main")).contains("commit: mine");
            assertThat(project.host("git log --format=%s main..capsem/" + id + "/main"))
                    .isEqualTo("agent");

            project.capsem("delete", id);
            project.host("cp -a " + kept + "/. .");
            assertThat(project.directory().resolve("a.txt")).hasContent(afterRefusal);
        }
    }

    @ParameterizedTest
    @MethodSource("user")
    void aRebaseInsideGetsABranchOfItsOwn(Account account) throws IOException {
        try (Installation installation = Installation.shared(account)) {
            GitProject project = GitProject.make(installation);
            String id = project.lent();
            project.inside(id, "echo one > one && git add one && git commit -q -m one");
            project.inside(id, "echo two > two && git add two && git commit -q -m two");
            Outcome first = project.capsem("apply", id, "--commits");
            String before = project.host("git rev-parse capsem/" + id + "/main");

            project.inside(
                    id, "GIT_SEQUENCE_EDITOR=\"sed -i '2s/^pick/squash/'\" GIT_EDITOR=true git rebase -q -i HEAD~2");
            Outcome second = project.capsem("apply", id, "--commits");

            assertThat(first.stderr()).contains("2 commits on branch capsem/" + id + "/main");
            assertThat(second.exitCode()).as("%s", second.stderr()).isZero();
            assertThat(second.stderr()).contains("capsem/" + id + "/main-2");
            assertThat(project.host("git rev-parse capsem/" + id + "/main")).isEqualTo(before);
            assertThat(project.host("git rev-list --count main..capsem/" + id + "/main-2"))
                    .isEqualTo("1");
            assertThat(project.host("git status --porcelain")).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void aWorktreeWorksInside(Account account) throws IOException {
        try (Installation installation = Installation.shared(account)) {
            GitProject main = GitProject.make(installation);
            main.host("git branch other && git worktree add -q ../tree other");
            GitProject tree = main.at(installation.userDirectory().resolve("tree"));
            String id = tree.lent();

            String status = tree.inside(id, "git status --porcelain --branch");
            tree.inside(id, "echo agent >> b.txt && git commit -q -a -m 'in the tree' && git log --oneline main | cat");
            Outcome outside =
                    installation.capsem("exec", id, "--", "ls", main.directory().toString());
            Outcome applied = tree.capsem("apply", id);

            assertThat(status).isEqualTo("## other");
            assertThat(outside.exitCode()).isNotZero();
            assertThat(applied.exitCode()).as("%s", applied.stderr()).isZero();
            assertThat(tree.host("git log --format=%s other..capsem/" + id + "/other"))
                    .isEqualTo("in the tree");
            assertThat(tree.host("git status --porcelain")).isEqualTo("M b.txt");
            assertThat(tree.directory().resolve(".git")).isRegularFile();
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void aSubmoduleWorksInsideAloneAndInItsProject(Account account) throws IOException {
        try (Installation installation = Installation.shared(account)) {
            GitProject library = GitProject.make(installation);
            library.host("git clone -q . ../whole && cd ../whole && git submodule -q add $OLDPWD libs/sub"
                    + " && git commit -q -m submodule");
            GitProject whole = library.at(installation.userDirectory().resolve("whole"));
            GitProject sub = library.at(whole.directory().resolve("libs/sub"));
            String alone = sub.lent();
            String both = whole.lent();

            String status = sub.inside(alone, "git status --porcelain --branch | head -1");
            sub.inside(alone, "echo x > x && git add x && git commit -q -m alone");
            whole.inside(both, "cd libs/sub && echo y > y && git add y && git commit -q -m nested");
            whole.inside(both, "git commit -q -a -m 'newer submodule'");

            assertThat(status).startsWith("## main");
            assertThat(sub.capsem("apply", alone, "--commits").exitCode()).isZero();
            assertThat(sub.host("git log --format=%s main..capsem/" + alone + "/main"))
                    .isEqualTo("alone");
            Outcome applied = whole.capsem("apply", both);
            assertThat(applied.exitCode()).as("%s", applied.stderr()).isZero();
            assertThat(sub.host("git log --format=%s main..capsem/" + both + "/main"))
                    .isEqualTo("nested");
            assertThat(whole.host("git log --format=%s main..capsem/" + both + "/main"))
                    .isEqualTo("newer submodule");
            assertThat(sub.directory().resolve("y")).hasContent("y\n");
        }
    }

    @ParameterizedTest
    @MethodSource("accounts")
    void aLookAtTheRepositoryInBetweenStopsNothing(Account account) throws IOException {
        try (Installation installation = Installation.shared(account)) {
            GitProject project = GitProject.make(installation);
            project.host("echo dirty > dirty.txt && echo more >> b.txt");
            String id = project.lent();
            project.inside(
                    id, "git status -s && sed -i 's/^9$/agent/' a.txt && echo agent >> dirty.txt && git diff | cat");
            project.host(
                    "touch a.txt b.txt dirty.txt && git status && git checkout -q -b elsewhere && git checkout -q main");

            Outcome applied = project.capsem("apply", id);

            assertThat(applied.exitCode()).as("%s", applied.stderr()).isZero();
            assertThat(applied.stdout().lines()).containsExactly("a.txt", "dirty.txt");
            assertThat(project.host("git status --porcelain")).isEqualTo("M a.txt\n M b.txt\n?? dirty.txt");
            assertThat(project.directory().resolve("dirty.txt")).hasContent("dirty\nagent\n");
        }
    }

    @ParameterizedTest
    @MethodSource("user")
    void fiveThousandIgnoredFilesAreOneLine(Account account) throws IOException {
        try (Installation installation = Installation.shared(account)) {
            GitProject project = GitProject.make(installation);
            String id = project.lent();
            project.inside(
                    id,
                    "mkdir -p node_modules/p src && cd node_modules/p && seq -f f%g.js 1 5000 | xargs touch && cd ../.."
                            + " && echo lock > package-lock.json && echo l > x.log && echo k > src/keep.log"
                            + " && echo '*' > .gitignore");

            Outcome diff = project.capsem("diff", id);
            Outcome all = project.capsem("diff", id, "--ignored", "--json");
            Outcome applied = project.capsem("apply", id);

            assertThat(diff.stdout())
                    .contains("package-lock.json")
                    .contains("src/keep.log")
                    .contains("b/.gitignore")
                    .doesNotContain("node_modules/p")
                    .doesNotContain("x.log");
            assertThat(diff.stderr()).contains("5001 ignored files changed").contains("--ignored");
            assertThat(Installation.JSON.readTree(all.stdout()).path("changes").size())
                    .isGreaterThan(5_000);
            assertThat(applied.exitCode()).as("%s", applied.stderr()).isZero();
            assertThat(applied.stderr()).contains("5001 ignored files");
            assertThat(project.directory().resolve("node_modules")).doesNotExist();
            assertThat(project.directory().resolve("package-lock.json")).exists();
            assertThat(project.capsem("apply", id, "x.log").exitCode()).isZero();
            assertThat(project.directory().resolve("x.log")).exists();
        }
    }

    @ParameterizedTest
    @MethodSource("user")
    void gitApplyTakesTheDiffBinaryFilesIncluded(Account account) throws IOException {
        try (Installation installation = Installation.shared(account)) {
            GitProject project = GitProject.make(installation);
            project.host("head -c 5000 /dev/urandom > logo.png && printf '\\377old' > latin && git add -A"
                    + " && git commit -q -m binary && git clone -q . ../clone");
            String id = project.lent();
            project.inside(
                    id,
                    "head -c 300000 /dev/urandom > logo.png && head -c 777 /dev/urandom > new.bin && rm latin"
                            + " && chmod +x b.txt && ln -s a.txt link && : > empty && echo agent >> a.txt"
                            + " && printf 'no end' > end && git add -A && git commit -q -m all");
            Outcome diff = project.capsem("diff", id);
            GitProject clone = project.at(installation.userDirectory().resolve("clone"));

            Path patch = Files.write(installation.userDirectory().resolve("all.patch"), diff.stdoutBytes());
            clone.host("git apply --index --binary " + patch + " && git commit -q -m applied");
            project.capsem("apply", id, "--commits");

            assertThat(clone.host("git rev-parse HEAD^{tree}"))
                    .isEqualTo(project.host("git rev-parse capsem/" + id + "/main^{tree}"));
        }
    }

    @ParameterizedTest
    @MethodSource("user")
    void nothingOfTheAgentsRunsOnTheHost(Account account) throws IOException {
        try (Installation installation = Installation.shared(account)) {
            GitProject project = GitProject.make(installation);
            String id = project.lent();
            Path marker = installation.userDirectory().resolve("RAN");
            project.inside(
                    id,
                    "evil='touch " + marker
                            + "'; for h in post-checkout reference-transaction pre-commit post-merge; do"
                            + " printf '#!/bin/sh\\n%s\\n' \"$evil\" > .git/hooks/$h; chmod 755 .git/hooks/$h; done;"
                            + " git config core.fsmonitor \"$evil; false\"; git config uploadpack.packObjectsHook \"$evil\";"
                            + " mkdir -p lib/sub; git init -q lib/t; mv lib/t/.git lib/repo;"
                            + " printf 'gitdir: ../repo\\n' > lib/sub/.git; git -c core.fsmonitor= config -f lib/repo/config"
                            + " core.fsmonitor \"$evil\"; echo fine > lib/sub/fine.txt;"
                            + " echo /etc > .git/objects/info/alternates;"
                            + " bad=$(printf 'tree %s\\nauthor nobody\\n\\nx\\n' $(git -c core.fsmonitor= rev-parse 'HEAD^{tree}')"
                            + " | git hash-object -t commit -w --literally --stdin);"
                            + " echo $bad > .git/refs/heads/bad");
            project.host("rm -f " + marker);
            String mine = project.ownState();

            Outcome applied = project.capsem("apply", id, "--force");
            project.host("git status && git checkout -q -b next && cd lib/sub && git status");

            assertThat(applied.exitCode()).isEqualTo(1);
            assertThat(applied.stderr()).contains("branch bad cannot come back");
            assertThat(project.host("git branch --list 'capsem/*'")).isEmpty();
            assertThat(project.directory().resolve("lib/sub/fine.txt")).exists();
            assertThat(project.directory().resolve("lib/sub/.git")).doesNotExist();
            assertThat(project.directory().resolve("lib/repo")).doesNotExist();
            assertThat(mine).contains("refs/heads/main");
            assertThat(marker).doesNotExist();
        }
    }

    @ParameterizedTest
    @MethodSource("user")
    void aRunThatOnlyCommitsIsKeptAndItsCommitsComeBackFromTheStoppedSandbox(Account account) throws IOException {
        try (Installation installation = Installation.shared(account)) {
            GitProject project = GitProject.make(installation);
            project.host("echo mine >> b.txt");

            Outcome run = project.capsem(
                    "run",
                    "--workspace",
                    ".",
                    "--name",
                    "committer",
                    "--",
                    "git",
                    "-c",
                    "user.name=A",
                    "-c",
                    "user.email=a@example.test",
                    "commit",
                    "-q",
                    "-a",
                    "-m",
                    "agent");
            Outcome applied = project.capsem("apply", "committer", "--commits");

            assertThat(run.exitCode()).as("%s", run.stderr()).isZero();
            assertThat(run.stderr()).contains("new commits on main").contains("capsem apply committer");
            assertThat(applied.exitCode()).as("%s", applied.stderr()).isZero();
            assertThat(project.host("git log --format=%s main..capsem/committer/main"))
                    .isEqualTo("agent");
            assertThat(project.host("git status --porcelain")).isEqualTo("M b.txt");
        }
    }
}
