package dev.capsem.cli.project;

import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Printable;
import dev.capsem.wire.service.DiffReply;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Changes as one line.
public final class DiffSummary {
    private static final int ABBREVIATED = 10;

    private DiffSummary() {}

    /// `3 files changed, +10 −2`. Directories count only when nothing else changed.
    public static String of(List<DiffReply.Change> changes) {
        long insertions = 0;
        long deletions = 0;
        long files = 0;
        for (DiffReply.Change change : changes) {
            insertions += change.insertions();
            deletions += change.deletions();
            files += isDirectory(change) ? 0 : 1;
        }
        String what = files > 0
                ? Amounts.counted(files, "file") + " changed"
                : changes.size() + (changes.size() == 1 ? " directory changed" : " directories changed");
        return insertions + deletions == 0 ? what : what + ", +" + insertions + " −" + deletions;
    }

    /// The same with commits and files that git ignores.
    static String ofAll(DiffReply reply) {
        var parts = new ArrayList<String>();
        if (!reply.changes().isEmpty()) {
            parts.add(of(reply.changes()));
        }
        if (!reply.commits().isEmpty()) {
            parts.add("new commits on "
                    + Printable.line(reply.commits().stream()
                            .map(DiffReply.Commits::branch)
                            .collect(Collectors.joining(", "))));
        }
        if (reply.ignored() > 0) {
            parts.add(Amounts.counted(reply.ignored(), "ignored file"));
        }
        return parts.isEmpty() ? "nothing changed" : String.join("; ", parts);
    }

    /// Changes outside the list: commits, and files that git ignores.
    static List<String> besides(DiffReply reply, String id) {
        var lines = new ArrayList<String>();
        for (DiffReply.Commits commits : reply.commits()) {
            lines.add("new commits inside on " + Printable.line(commits.branch()) + where(commits.repository())
                    + ", at "
                    + commits.commit()
                            .substring(0, Math.min(ABBREVIATED, commits.commit().length()))
                    + "; bring them back as a branch: capsem apply " + id + " --commits");
        }
        if (reply.ignored() > 0) {
            lines.add(Amounts.counted(reply.ignored(), "ignored file") + " changed; see them: capsem diff " + id
                    + " --ignored --stat");
        }
        return lines;
    }

    private static String where(String repository) {
        return repository.equals(".git") ? "" : " of " + Printable.line(repository);
    }

    static boolean isDirectory(DiffReply.Change change) {
        return change.note().filter("directory"::equals).isPresent();
    }
}
