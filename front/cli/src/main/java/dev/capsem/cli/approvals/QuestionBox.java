package dev.capsem.cli.approvals;

import dev.capsem.cli.client.Question;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// A question in a box. What the guest had a say in (subject, process) is made printable and kept in its line.
final class QuestionBox {
    private static final int WIDTH_MAX = 90;
    private static final int WIDTH_MIN = 24;

    private final Ink ink;
    private final int width;

    QuestionBox(Ink ink, int columns) {
        this.ink = ink;
        this.width = Math.clamp(columns, WIDTH_MIN, WIDTH_MAX);
    }

    /// @param others how many more wait
    List<String> lines(Question question, int others, Instant now) {
        var lines = new ArrayList<String>();
        String more = others == 0 ? "" : ", " + others + " more waiting";
        String title = cut(" Capsem asks · " + Printable.line(question.sandbox()) + more + " ", width - 4);
        lines.add(ink.yellow("┌─") + ink.bold(title) + ink.yellow("─".repeat(width - 3 - title.length()) + "┐"));
        lines.add(line("", Printable.line(question.subject()), true));
        lines.add(line("rule     ", Printable.line(question.rule()), false));
        question.reason().ifPresent(reason -> lines.add(line("reason   ", Printable.line(reason), false)));
        question.processName().ifPresent(name -> lines.add(line("process  ", Printable.line(name), false)));
        lines.add(line("", keys(question) + "   " + question.secondsLeft(now) + " s left", true));
        lines.add(ink.yellow("└" + "─".repeat(width - 2) + "┘"));
        return lines;
    }

    static String keys(Question question) {
        var keys = new ArrayList<String>();
        for (String scope : List.of("once", "session", "always")) {
            if (question.scopes().contains(scope)) {
                keys.add("[" + scope.charAt(0) + "]" + scope.substring(1));
            }
        }
        keys.add("[d]eny");
        return String.join(" ", keys);
    }

    private String line(String name, String value, boolean isBold) {
        String shown = cut(value, width - 4 - name.length());
        String padding = " ".repeat(width - 4 - name.length() - shown.length());
        return ink.yellow("│ ") + ink.faint(name) + (isBold ? ink.bold(shown) : shown) + padding + ink.yellow(" │");
    }

    private static String cut(String text, int max) {
        return text.length() <= max ? text : text.substring(0, Math.max(0, max - 1)) + "…";
    }
}
