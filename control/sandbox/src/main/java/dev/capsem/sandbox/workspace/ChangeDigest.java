package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.git.Commits;
import dev.capsem.sandbox.workspace.tree.Change;
import dev.capsem.sandbox.workspace.tree.Content;
import dev.capsem.sandbox.workspace.tree.FileType;
import dev.capsem.sandbox.workspace.tree.GuestContents;
import dev.capsem.sandbox.workspace.tree.PathText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/// One name for everything that `diff` showed: paths, kinds, modes, contents, links, commits. `apply --as` takes it.
final class ChangeDigest {
    /// 160 bits: a guest that looks for two sets of changes of one name needs 2^80 tries.
    private static final int LENGTH = 40;

    private ChangeDigest() {}

    static String of(List<Change> changes, GuestContents guest, List<Commits.Inside> commits) {
        MessageDigest digest = Content.sha256();
        changes.stream().sorted(Comparator.comparing(Change::path)).forEach(change -> add(digest, line(change, guest)));
        commits.forEach(tip ->
                add(digest, "commit " + PathText.of(tip.repository()) + " " + tip.commit() + " " + tip.branch()));
        return HexFormat.of().formatHex(digest.digest()).substring(0, LENGTH);
    }

    private static void add(MessageDigest digest, String line) {
        digest.update((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static String line(Change change, GuestContents guest) {
        String kind = change.kind().name().toLowerCase(Locale.ROOT);
        String mode = change.after()
                .map(facts -> facts.type() + " " + Integer.toOctalString(facts.permissions() & 0777))
                .orElse("-");
        return kind + " " + PathText.of(change.path()) + " " + mode + " " + content(change, guest);
    }

    private static String content(Change change, GuestContents guest) {
        if (change.link().isPresent()) {
            return PathText.of(change.link().get());
        }
        if (!change.isNow(FileType.REGULAR)) {
            return "-";
        }
        try {
            return guest.hash(change.path());
        } catch (IOException unreadable) {
            return "unreadable";
        }
    }
}
