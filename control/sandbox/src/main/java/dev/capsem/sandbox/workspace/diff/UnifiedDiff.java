package dev.capsem.sandbox.workspace.diff;

import com.github.difflib.algorithm.Change;
import com.github.difflib.algorithm.myers.MyersDiffWithLinearSpace;
import com.github.difflib.patch.DeltaType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Two texts → the hunks of a unified diff. Pure; bounded in time whatever the texts are.
///
/// @param hunks the lines from the first `@@` on; empty when the texts are equal
public record UnifiedDiff(String hunks, int added, int deleted) {
    private static final int CONTEXT = 3;

    /// The search costs lines × edits: about 0.1 s here. Where more lines than this differ from end to end, the
    /// middle is shown as replaced whole.
    private static final int SEARCHED_LINES_MAX = 10_000;

    /// `original[fromOriginal, toOriginal)` became `revised[fromRevised, toRevised)`.
    record Edit(int fromOriginal, int toOriginal, int fromRevised, int toRevised) {}

    public static UnifiedDiff of(String original, String revised) {
        List<String> before = lines(original);
        List<String> after = lines(revised);
        List<Edit> edits = edits(before, after);
        var text = new StringBuilder();
        int added = 0;
        int deleted = 0;
        for (int first = 0; first < edits.size(); ) {
            int end = first + 1;
            while (end < edits.size() && edits.get(end).fromOriginal - edits.get(end - 1).toOriginal <= 2 * CONTEXT) {
                end++;
            }
            appendHunk(text, before, after, edits.subList(first, end));
            first = end;
        }
        for (Edit edit : edits) {
            deleted += edit.toOriginal - edit.fromOriginal;
            added += edit.toRevised - edit.fromRevised;
        }
        return new UnifiedDiff(text.toString(), added, deleted);
    }

    /// Lines with their line feeds, so that a last line without one differs from the same line with one.
    static List<String> lines(String text) {
        var lines = new ArrayList<String>();
        for (int start = 0; start < text.length(); ) {
            int feed = text.indexOf('\n', start);
            int end = feed < 0 ? text.length() : feed + 1;
            lines.add(text.substring(start, end));
            start = end;
        }
        return lines;
    }

    static List<Edit> edits(List<String> before, List<String> after) {
        int shorter = Math.min(before.size(), after.size());
        int head = 0;
        while (head < shorter && before.get(head).equals(after.get(head))) {
            head++;
        }
        int tail = 0;
        while (tail < shorter - head
                && before.get(before.size() - 1 - tail).equals(after.get(after.size() - 1 - tail))) {
            tail++;
        }
        int beforeEnd = before.size() - tail;
        int afterEnd = after.size() - tail;
        if (head == beforeEnd && head == afterEnd) {
            return List.of();
        }
        if (beforeEnd - head + (afterEnd - head) > SEARCHED_LINES_MAX) {
            return List.of(new Edit(head, beforeEnd, head, afterEnd));
        }
        // Numbers for lines: a comparison then costs the same however long the lines are.
        var numbers = new HashMap<String, Integer>();
        List<Integer> original = numbered(before.subList(head, beforeEnd), numbers);
        List<Integer> revised = numbered(after.subList(head, afterEnd), numbers);
        var edits = new ArrayList<Edit>();
        for (Change change : new MyersDiffWithLinearSpace<Integer>().computeDiff(original, revised, null)) {
            append(edits, change, head);
        }
        return edits;
    }

    /// Joins edits that touch: the linear-space search reports some of them in pieces.
    private static void append(List<Edit> edits, Change change, int offset) {
        if (change.deltaType == DeltaType.EQUAL) {
            return;
        }
        var edit = new Edit(
                change.startOriginal + offset,
                change.endOriginal + offset,
                change.startRevised + offset,
                change.endRevised + offset);
        if (!edits.isEmpty()) {
            Edit last = edits.getLast();
            if (last.toOriginal == edit.fromOriginal && last.toRevised == edit.fromRevised) {
                edits.removeLast();
                edit = new Edit(last.fromOriginal, edit.toOriginal, last.fromRevised, edit.toRevised);
            }
        }
        edits.add(edit);
    }

    private static List<Integer> numbered(List<String> lines, Map<String, Integer> numbers) {
        return lines.stream()
                .map(line -> numbers.computeIfAbsent(line, fresh -> numbers.size()))
                .toList();
    }

    private static void appendHunk(StringBuilder text, List<String> before, List<String> after, List<Edit> edits) {
        Edit first = edits.getFirst();
        Edit last = edits.getLast();
        int fromOriginal = Math.max(0, first.fromOriginal - CONTEXT);
        int fromRevised = first.fromRevised - (first.fromOriginal - fromOriginal);
        int toOriginal = Math.min(before.size(), last.toOriginal + CONTEXT);
        int toRevised = last.toRevised + (toOriginal - last.toOriginal);
        text.append("@@ -")
                .append(range(fromOriginal, toOriginal))
                .append(" +")
                .append(range(fromRevised, toRevised))
                .append(" @@\n");
        int at = fromOriginal;
        for (Edit edit : edits) {
            append(text, ' ', before.subList(at, edit.fromOriginal));
            append(text, '-', before.subList(edit.fromOriginal, edit.toOriginal));
            append(text, '+', after.subList(edit.fromRevised, edit.toRevised));
            at = edit.toOriginal;
        }
        append(text, ' ', before.subList(at, toOriginal));
    }

    /// Line numbers count from 1; an empty range names the line before it.
    private static String range(int from, int to) {
        int count = to - from;
        int line = count == 0 ? from : from + 1;
        return count == 1 ? Integer.toString(line) : line + "," + count;
    }

    private static void append(StringBuilder text, char mark, List<String> lines) {
        for (String line : lines) {
            text.append(mark).append(line);
            if (!line.endsWith("\n")) {
                text.append("\n\\ No newline at end of file\n");
            }
        }
    }
}
