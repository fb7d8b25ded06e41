package dev.capsem.cli.approvals;

import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.client.ApprovalQuestion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.WCWidth;

/// A question in a box. What the guest had a say in (subject, process) is made printable and kept in its line.
final class QuestionBox {
    private static final int WIDTH_MAX = 90;
    private static final int WIDTH_MIN = 24;
    private static final int LABEL_WIDTH = 9;

    /// Of one value; more is cut.
    private static final int LINES_MAX = 3;

    /// So that every window shows all of it.
    private static final int HEIGHT_MAX = 20;

    private static final List<String> SCOPES = List.of("once", "session", "always");

    private final Ink ink;
    private final int width;

    QuestionBox(Ink ink, int columns) {
        this.ink = ink;
        this.width = Math.clamp(columns, WIDTH_MIN, WIDTH_MAX);
    }

    /// @param others how many more wait
    List<String> lines(ApprovalQuestion question, int others, Instant now) {
        for (int most = LINES_MAX; most > 1; most--) {
            List<String> lines = lines(question, others, now, most);
            if (lines.size() <= HEIGHT_MAX) {
                return lines;
            }
        }
        return lines(question, others, now, 1);
    }

    private List<String> lines(ApprovalQuestion question, int others, Instant now, int most) {
        var lines = new ArrayList<String>();
        String more = others == 0 ? "" : ", " + others + " more waiting";
        String title = cut(" Capsem asks · " + Printable.line(question.sandbox()) + more + " ", width - 4);
        lines.add(ink.yellow("┌─") + ink.bold(title) + ink.yellow("─".repeat(width - 3 - columns(title)) + "┐"));
        // Whole, however many lines it takes: the end of a host's name says whose it is.
        lines.addAll(wrapped("", question.subject(), true, Integer.MAX_VALUE));
        question.details().forEach(detail -> lines.addAll(wrapped(detail.name(), detail.text(), false, most)));
        lines.add(line(label("rule"), Printable.line(question.rule()), false));
        question.reason().ifPresent(reason -> lines.add(line(label("reason"), Printable.line(reason), false)));
        question.processName().ifPresent(name -> lines.add(line(label("process"), Printable.line(name), false)));
        for (String scope : SCOPES) {
            String reach = question.covers().getOrDefault(scope, "");
            if (question.scopes().contains(scope) && !reach.isEmpty()) {
                lines.addAll(wrapped(scope, reach, false, most));
            }
        }
        lines.add(line("", keys(question) + "   " + question.secondsLeft(now) + " s left", true));
        lines.add(ink.yellow("└" + "─".repeat(width - 2) + "┘"));
        return lines;
    }

    static String keys(ApprovalQuestion question) {
        var keys = new ArrayList<String>();
        for (String scope : SCOPES) {
            if (question.scopes().contains(scope)) {
                keys.add("[" + scope.charAt(0) + "]" + scope.substring(1));
            }
        }
        keys.add("[d]eny");
        return String.join(" ", keys);
    }

    private static String label(String name) {
        return cut(Printable.line(name), LABEL_WIDTH - 1) + " ".repeat(Math.max(1, LABEL_WIDTH - name.length()));
    }

    /// A value that needs several lines; an empty name takes no room.
    private List<String> wrapped(String name, String value, boolean isBold, int most) {
        String label = name.isEmpty() ? "" : label(name);
        int room = width - 4 - label.length();
        String rest = bothEnds(Printable.line(value), most == Integer.MAX_VALUE ? most : room * most);
        var lines = new ArrayList<String>();
        while (columns(rest) > room && lines.size() < most - 1) {
            int end = fitting(rest, room);
            lines.add(line(lines.isEmpty() ? label : " ".repeat(label.length()), rest.substring(0, end), isBold));
            rest = rest.substring(end);
        }
        lines.add(line(lines.isEmpty() ? label : " ".repeat(label.length()), rest, isBold));
        return lines;
    }

    /// Cut in the middle: what is harmless would stand first.
    private static String bothEnds(String text, int max) {
        if (columns(text) <= max) {
            return text;
        }
        int tail = max / 3;
        int from = text.length();
        for (int used = 0; from > 0; ) {
            int letter = text.codePointBefore(from);
            used += columns(letter);
            if (used > tail) {
                break;
            }
            from -= Character.charCount(letter);
        }
        // A letter of two columns may leave one free at the end of each line but the last.
        return text.substring(0, fitting(text, max - tail - 1 - LINES_MAX)) + "…" + text.substring(from);
    }

    private String line(String name, String value, boolean isBold) {
        String shown = cut(value, width - 4 - name.length());
        String padding = " ".repeat(width - 4 - name.length() - columns(shown));
        return ink.yellow("│ ") + ink.faint(name) + (isBold ? ink.bold(shown) : shown) + padding + ink.yellow(" │");
    }

    private static String cut(String text, int max) {
        return columns(text) <= max ? text : text.substring(0, fitting(text, max - 1)) + "…";
    }

    /// How much of it fits.
    private static int fitting(String text, int max) {
        int end = 0;
        for (int used = 0; end < text.length(); end += Character.charCount(text.codePointAt(end))) {
            used += columns(text.codePointAt(end));
            if (used > max) {
                break;
            }
        }
        return end;
    }

    /// As a terminal counts: some letters take two columns, others none.
    private static int columns(String text) {
        return text.codePoints().map(QuestionBox::columns).sum();
    }

    private static int columns(int letter) {
        return Math.max(0, WCWidth.wcwidth(letter));
    }
}
