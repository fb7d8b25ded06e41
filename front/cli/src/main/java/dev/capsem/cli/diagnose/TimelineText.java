package dev.capsem.cli.diagnose;

import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Decisions;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/// Rows of a timeline as lines: time, layer, what became of it, how long it took, what it was. The rows of a trace
/// stand
/// below its name, indented.
final class TimelineText {
    private static final int SLOW_MILLIS_MIN = 500;
    private static final int TRACE_SHOWN = 8;
    private static final int SUMMARY_WIDTH_MIN = 24;
    private static final int SUMMARY_WIDTH_DEFAULT = 100;
    /// Of everything before the summary, without the indent.
    private static final int HEAD_WIDTH = 44;

    private static final Pattern POLICY = Pattern.compile("(.*) policy=(\\w+)(?:/(\\S+))?");
    private static final Set<String> PLAIN = Set.of("continue", "observe_only");

    private final Screen screen;
    private final Ink ink;
    private final int summaryWidth;
    private final boolean showsAll;
    private String date = "";
    private String trace = "";

    /// @param columns how wide a line may be
    /// @param showsAll also events that were simply allowed, which other layers show already
    TimelineText(Screen screen, int columns, boolean showsAll) {
        this.screen = screen;
        this.ink = screen.outInk();
        this.showsAll = showsAll;
        this.summaryWidth = columns == Integer.MAX_VALUE
                ? (screen.terminals().out() ? Integer.MAX_VALUE : SUMMARY_WIDTH_DEFAULT)
                : Math.max(SUMMARY_WIDTH_MIN, columns - HEAD_WIDTH);
    }

    void print(JsonNode rows) {
        for (JsonNode row : rows) {
            boolean isPlain = row.path(1).asString("").equals("security")
                    && PLAIN.contains(row.path(4).asString(""));
            if (showsAll || !isPlain) {
                heading(row);
                line(row);
            }
        }
    }

    private void heading(JsonNode row) {
        String day = row.path(0).asString("").split("T", 2)[0];
        if (!day.equals(date)) {
            date = day;
            screen.print(ink.bold(day));
        }
        String of = row.path(6).asString("");
        if (!of.equals(trace)) {
            trace = of;
            if (!of.isEmpty()) {
                screen.print(ink.cyan("trace " + Printable.line(of.substring(0, Math.min(TRACE_SHOWN, of.length())))));
            }
        }
    }

    private void line(JsonNode row) {
        String summary = row.path(3).asString("");
        String decision = "";
        String rule = "";
        Matcher policy = POLICY.matcher(summary);
        if (policy.matches()) {
            summary = policy.group(1);
            decision = policy.group(2);
            rule = policy.group(3) == null ? "" : policy.group(3).replaceFirst("^security\\.rules\\.", "");
        }
        screen.print(((trace.isEmpty() ? "" : "  ") + ink.faint(time(row.path(0).asString(""))) + "  "
                        + padded(row.path(1).asString(""), 8) + "  "
                        + status(row.path(4).asString("")) + "  "
                        + took(row.path(5)) + "  "
                        + cut(Printable.line(summary))
                        + (decision.isEmpty() || decision.equals("allow")
                                ? ""
                                : "  " + Decisions.painted(ink, decision))
                        + (rule.isEmpty() ? "" : "  " + ink.faint(Printable.line(rule))))
                .stripTrailing());
    }

    /// `12:00:01.250` of `2026-01-31T12:00:01.250123Z`.
    private static String time(String timestamp) {
        String clock = timestamp.replaceFirst(".*T", "").replaceFirst("Z$", "");
        return padded(clock.substring(0, Math.min(12, clock.length())), 12);
    }

    private String status(String status) {
        String text = padded(Printable.line(status), 10);
        return switch (status) {
            case "", "continue", "observe_only" -> text;
            case "allowed", "redirected", "exit 0" -> ink.green(text);
            case "ask" -> ink.yellow(text);
            case "rewrite" -> ink.cyan(text);
            case String code when code.matches("[23]\\d\\d") -> ink.green(text);
            case String code when code.matches("4\\d\\d") -> ink.yellow(text);
            default -> ink.red(text);
        };
    }

    private String took(JsonNode millis) {
        if (millis.isNull() || millis.isMissingNode()) {
            return padded("", 8);
        }
        String text = Amounts.millis(millis.asLong(0));
        String right = " ".repeat(Math.max(0, 8 - text.length())) + text;
        return millis.asLong(0) >= SLOW_MILLIS_MIN ? ink.yellow(right) : right;
    }

    private String cut(String text) {
        return text.length() <= summaryWidth ? text : text.substring(0, summaryWidth - 1) + "…";
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }
}
