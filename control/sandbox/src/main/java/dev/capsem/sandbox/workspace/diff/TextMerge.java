package dev.capsem.sandbox.workspace.diff;

import dev.capsem.sandbox.workspace.diff.UnifiedDiff.Edit;
import java.util.ArrayList;
import java.util.List;

/// Two texts that come from one → one text with both changes, where these do not meet. Pure.
public sealed interface TextMerge {
    public record Merged(String text) implements TextMerge {}

    /// @param hunks where both changed the same lines, by line numbers of `ours`, in words
    public record Conflict(List<String> hunks) implements TextMerge {
        public Conflict {
            hunks = List.copyOf(hunks);
        }
    }

    static TextMerge of(String base, String ours, String theirs) {
        List<String> lines = UnifiedDiff.lines(base);
        List<String> mine = UnifiedDiff.lines(ours);
        List<String> other = UnifiedDiff.lines(theirs);
        List<Edit> left = UnifiedDiff.edits(lines, mine);
        List<Edit> right = UnifiedDiff.edits(lines, other);
        var text = new StringBuilder();
        var conflicts = new ArrayList<String>();
        int at = 0;
        int l = 0;
        int r = 0;
        while (l < left.size() || r < right.size()) {
            if (r == right.size() || (l < left.size() && isBefore(left.get(l), right.get(r)))) {
                at = take(text, lines, at, left.get(l++), mine);
            } else if (l == left.size() || isBefore(right.get(r), left.get(l))) {
                at = take(text, lines, at, right.get(r++), other);
            } else if (isSame(left.get(l), mine, right.get(r), other)) {
                at = take(text, lines, at, left.get(l++), mine);
                r++;
            } else {
                conflicts.add(named(left.get(l)));
                // Past everything that this one meets, so that each place is named once.
                int end = Math.max(left.get(l).toOriginal(), right.get(r).toOriginal());
                while (l < left.size() && left.get(l).fromOriginal() <= end) {
                    l++;
                }
                while (r < right.size() && right.get(r).fromOriginal() <= end) {
                    r++;
                }
            }
        }
        if (!conflicts.isEmpty()) {
            return new Conflict(conflicts);
        }
        lines.subList(at, lines.size()).forEach(text::append);
        return new Merged(text.toString());
    }

    /// Edits that touch meet, as for git: nobody can say which of them comes first.
    private static boolean isBefore(Edit edit, Edit other) {
        return edit.toOriginal() < other.fromOriginal();
    }

    private static boolean isSame(Edit edit, List<String> mine, Edit other, List<String> theirs) {
        return edit.fromOriginal() == other.fromOriginal()
                && edit.toOriginal() == other.toOriginal()
                && mine.subList(edit.fromRevised(), edit.toRevised())
                        .equals(theirs.subList(other.fromRevised(), other.toRevised()));
    }

    private static int take(StringBuilder text, List<String> base, int at, Edit edit, List<String> revised) {
        base.subList(at, edit.fromOriginal()).forEach(text::append);
        revised.subList(edit.fromRevised(), edit.toRevised()).forEach(text::append);
        return edit.toOriginal();
    }

    private static String named(Edit mine) {
        int first = mine.fromRevised() + 1;
        int last = Math.max(first, mine.toRevised());
        return first == last ? "line " + first : "lines " + first + "–" + last;
    }
}
