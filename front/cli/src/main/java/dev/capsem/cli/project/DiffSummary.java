package dev.capsem.cli.project;

import dev.capsem.cli.screen.Amounts;
import dev.capsem.wire.service.DiffReply;
import java.util.List;

/// Changes as one line.
public final class DiffSummary {
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

    static boolean isDirectory(DiffReply.Change change) {
        return change.note().filter("directory"::equals).isPresent();
    }
}
