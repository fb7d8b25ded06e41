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
/// stand below its name, indented.
final class TimelineText {
    private static final int SLOW_MILLIS_MIN = 500;
    private static final int TRACE_SHOWN = 8;
    private static final int SUMMARY_WIDTH_MIN = 24;
    private static final int SUMMARY_WIDTH_DEFAULT = 100;
    private static final int INDENT = 2;
    private static final int LAYER_WIDTH = 8;
    private static final int STATUS_WIDTH = 10;
    private static final int TOOK_WIDTH = 8;
    private static final int TIME_WIDTH = 12;
    private static final int SHORT_TIME_WIDTH = 8;
    /// Of a line with everything before its summary.
    private static final int WIDE_COLUMNS_MIN =
            INDENT + TIME_WIDTH + LAYER_WIDTH + STATUS_WIDTH + TOOK_WIDTH + 4 * 2 + SUMMARY_WIDTH_MIN;
    /// The rule gets no more of a line than this part while the summary needs the rest.
    private static final int RULE_PART = 3;

    private static final Pattern POLICY = Pattern.compile("(.*) policy=(\\w+)(?:/(\\S+))?");
    private static final Set<String> PLAIN = Set.of("continue", "observe_only");

    private final Screen screen;
    private final Ink ink;
    private final boolean isNarrow;
    /// For the summary, the decision and the rule.
    private final int room;
    private final boolean showsAll;
    private String date = "";
    private String trace = "";

    /// @param columns how wide a line may be
    /// @param showsAll also events that were simply allowed, which other layers show already
    TimelineText(Screen screen, int columns, boolean showsAll) {
        this.screen = screen;
        this.ink = screen.outInk();
        this.showsAll = showsAll;
        this.isNarrow = columns < WIDE_COLUMNS_MIN;
        int head = INDENT
                + (isNarrow ? SHORT_TIME_WIDTH : TIME_WIDTH + 2 + TOOK_WIDTH)
                + 2
                + LAYER_WIDTH
                + 2
                + STATUS_WIDTH
                + 2;
        this.room = columns == Integer.MAX_VALUE
                ? (screen.terminals().out() ? Integer.MAX_VALUE : SUMMARY_WIDTH_DEFAULT)
                : Math.max(1, columns - head);
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
        screen.print(((trace.isEmpty() ? "" : " ".repeat(INDENT))
                        + ink.faint(time(row.path(0).asString(""))) + "  "
                        + padded(row.path(1).asString(""), LAYER_WIDTH) + "  "
                        + status(row.path(4).asString("")) + "  "
                        + (isNarrow ? "" : took(row.path(5)) + "  ")
                        + gist(Printable.line(summary), decision.equals("allow") ? "" : decision, Printable.line(rule)))
                .stripTrailing());
    }

    /// The decision is never cut; of the others the rule first, which `--json` has whole.
    private String gist(String summary, String decision, String rule) {
        int left = room - (decision.isEmpty() ? 0 : decision.length() + 2);
        int ruleWidth =
                rule.isEmpty() ? 0 : Math.min(rule.length() + 2, Math.max(left - summary.length(), left / RULE_PART));
        String shownRule = ruleWidth <= 2 ? "" : "  " + ink.faint(cut(rule, ruleWidth - 2));
        String shownSummary = cut(summary, Math.max(1, left - ruleWidth));
        return shownSummary + (decision.isEmpty() ? "" : "  " + Decisions.painted(ink, decision)) + shownRule;
    }

    /// `12:00:01.250` of `2026-01-31T12:00:01.250123Z`.
    private String time(String timestamp) {
        int width = isNarrow ? SHORT_TIME_WIDTH : TIME_WIDTH;
        String clock = timestamp.replaceFirst(".*T", "").replaceFirst("Z$", "");
        return padded(clock.substring(0, Math.min(width, clock.length())), width);
    }

    private String status(String status) {
        String text = padded(cut(Printable.line(status), STATUS_WIDTH), STATUS_WIDTH);
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
            return padded("", TOOK_WIDTH);
        }
        String text = Amounts.millis(millis.asLong(0));
        String right = " ".repeat(Math.max(0, TOOK_WIDTH - text.length())) + text;
        return millis.asLong(0) >= SLOW_MILLIS_MIN ? ink.yellow(right) : right;
    }

    private static String cut(String text, int width) {
        return text.length() <= width ? text : text.substring(0, width - 1) + "…";
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }
}
