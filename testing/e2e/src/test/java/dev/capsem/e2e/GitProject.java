package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.e2e.Commands.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A repository of the user's with one commit on `main`, and sandboxes that get it as their project. Git is the real
/// one on both sides.
record GitProject(Installation installation, Path directory) {
    private static final Map<String, String> IDENTITY = Map.of(
            "GIT_AUTHOR_NAME", "User",
            "GIT_AUTHOR_EMAIL", "user@example.test",
            "GIT_COMMITTER_NAME", "User",
            "GIT_COMMITTER_EMAIL", "user@example.test");

    private static final String AGENT = "export GIT_AUTHOR_NAME=Agent GIT_AUTHOR_EMAIL=agent@example.test"
            + " GIT_COMMITTER_NAME=Agent GIT_COMMITTER_EMAIL=agent@example.test; ";

    static GitProject make(Installation installation) throws IOException {
        Path directory = installation.userDirectory().resolve("app");
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("a.txt"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
        Files.writeString(directory.resolve("b.txt"), "b\n");
        Files.writeString(directory.resolve(".gitignore"), "node_modules/\n*.log\n!keep.log\n");
        installation.handOver(directory);
        var project = new GitProject(installation, directory);
        project.host("git init -q -b main . && git add -A && git commit -q -m first");
        return project;
    }

    GitProject at(Path other) {
        return new GitProject(installation, other);
    }

    /// What a shell of the user's prints in the project; it must succeed.
    String host(String script) {
        Map<String, String> environment = new HashMap<>(IDENTITY);
        environment.put("HOME", installation.userDirectory().toString());
        environment.put("GIT_CONFIG_COUNT", "1");
        environment.put("GIT_CONFIG_KEY_0", "protocol.file.allow");
        environment.put("GIT_CONFIG_VALUE_0", "always");
        Outcome outcome = Commands.run(
                installation.account().command(List.of("sh", "-e", "-c", script)), environment, directory, new byte[0]);
        assertThat(outcome.exitCode())
                .as("%s: %s%s", script, outcome.stdout(), outcome.stderr())
                .isZero();
        return outcome.stdout().strip();
    }

    /// A sandbox with the project.
    String lent() {
        Outcome outcome = installation.capsem("create", "--workspace", directory.toString(), "--json");
        assertThat(outcome.exitCode()).as("%s", outcome.stderr()).isZero();
        return Installation.JSON.readTree(outcome.stdout()).path("id").asString();
    }

    /// What a shell of the agent's prints in its copy; it must succeed.
    String inside(String id, String script) {
        Outcome outcome = installation.capsem(
                "exec",
                id,
                "--",
                "sh",
                "-e",
                "-c",
                AGENT + "cd /root/" + directory.getFileName() + " && { " + script + "\n}");
        assertThat(outcome.exitCode())
                .as("%s: %s%s", script, outcome.stdout(), outcome.stderr())
                .isZero();
        return outcome.stdout().strip();
    }

    Outcome capsem(String... arguments) {
        return installation.capsem(new byte[0], directory, arguments);
    }

    /// Everything of the user's that git keeps: branches of their own, reflogs, stash, index.
    String ownState() {
        return host(
                "git for-each-ref --format='%(refname) %(objectname)' | grep -v refs/heads/capsem/ || true;"
                        + " git reflog --all --format='%H %gs' | grep -v 'capsem apply' || true; git stash list; git ls-files -s; git symbolic-ref HEAD");
    }
}
