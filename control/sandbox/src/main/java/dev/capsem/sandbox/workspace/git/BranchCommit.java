package dev.capsem.sandbox.workspace.git;

import dev.capsem.sandbox.workspace.launch.HostGit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Makes a commit in a repository of ours that borrows the user's objects. The user's own repository is only read.
///
/// @param quarantine holds the guest's objects already
record BranchCommit(Path quarantine, UserRepository user, HostGit git) {
    /// Where the commit is found in the quarantine.
    static final String REF = "refs/heads/capsem";

    private static final String WHO = "Capsem <capsem@localhost>";

    /// False if there is nothing that the user's own commit does not say.
    ///
    /// @param tips commits of the guest's, which become parents
    /// @param name of the sandbox, for the message
    boolean make(List<String> tips, Commits.Contents contents, String name, Instant now) throws IOException {
        Optional<String> head = user.ref("HEAD");
        List<String> parents = independent(tips, head);
        String prefix = git.run(user.directory(), "rev-parse", "--show-prefix").text();
        HostGit.Result made = git.run(
                quarantine,
                out -> {
                    out.write(header(head, parents, name, now).getBytes(StandardCharsets.UTF_8));
                    contents.writeTo(out, prefix);
                    out.write("done\n".getBytes(StandardCharsets.US_ASCII));
                },
                "fast-import",
                "--quiet",
                "--done");
        if (!made.succeeded()) {
            throw new IOException("git cannot make a commit of the changes: " + made.complaint());
        }
        Optional<String> tree = tree(REF);
        if (parents.isEmpty()) {
            return head.isEmpty() || !tree.equals(tree(head.get()));
        }
        boolean isTip = parents.size() == 1
                && tree.equals(tree(parents.getFirst()))
                && head.filter(commit -> !isAncestor(commit, parents.getFirst()))
                        .isEmpty();
        if (isTip) {
            git.run(quarantine, "update-ref", REF, parents.getFirst());
        }
        return true;
    }

    private static String header(Optional<String> head, List<String> parents, String name, Instant now) {
        String message = "Work of the sandbox " + name + "\n";
        var text = new StringBuilder("commit " + REF + "\n");
        text.append("committer ")
                .append(WHO)
                .append(' ')
                .append(now.getEpochSecond())
                .append(" +0000\n");
        text.append("data ").append(message.length()).append('\n').append(message);
        head.ifPresent(commit -> text.append("from ").append(commit).append('\n'));
        List<String> merged = head.isPresent() ? parents : parents.subList(Math.min(1, parents.size()), parents.size());
        if (head.isEmpty() && !parents.isEmpty()) {
            text.append("from ").append(parents.getFirst()).append('\n');
        }
        merged.forEach(commit -> text.append("merge ").append(commit).append('\n'));
        // Without a commit of the user's the changes are all there is.
        return head.isEmpty() && !parents.isEmpty() ? text.append("deleteall\n").toString() : text.toString();
    }

    /// Those that no other one, and not the user's commit, has behind it already. A tip without objects is none.
    private List<String> independent(List<String> tips, Optional<String> head) {
        List<String> present = tips.stream()
                .filter(tip ->
                        git.run(quarantine, "cat-file", "-e", tip + "^{commit}").succeeded())
                .filter(tip -> head.filter(commit -> isAncestor(tip, commit)).isEmpty())
                .toList();
        if (present.size() < 2) {
            return present;
        }
        List<String> command = new ArrayList<>(List.of("merge-base", "--independent"));
        command.addAll(present);
        HostGit.Result result = git.run(quarantine, command.toArray(String[]::new));
        return result.succeeded() ? result.text().lines().toList() : present;
    }

    private boolean isAncestor(String older, String newer) {
        return git.run(quarantine, "merge-base", "--is-ancestor", older, newer).succeeded();
    }

    private Optional<String> tree(String commit) {
        HostGit.Result result = git.run(quarantine, "rev-parse", "--verify", "--quiet", commit + "^{tree}");
        return result.succeeded() ? Optional.of(result.text()) : Optional.empty();
    }
}
