package dev.capsem.cli.rules;

import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Decisions;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import java.util.List;
import java.util.Optional;

/// Prints an explanation: what happened, which rule decided, which almost did, and how to allow it.
final class ExplanationPrinter {
    private final Screen screen;
    private final Ink ink;

    ExplanationPrinter(Screen screen) {
        this.screen = screen;
        this.ink = screen.outInk();
    }

    /// @param all every rule that was asked, not only those that matched or almost did
    /// @param again the command that prints the suggested rule alone; without one there is none
    void print(Explanation explanation, boolean all, Optional<String> again) {
        Explanation.Event event = explanation.event();
        screen.print(ink.bold(Printable.line(event.type())) + "  " + Printable.line(event.subject())
                + event.at().map(at -> ink.faint("  " + Printable.line(at))).orElse(""));
        String outcome = explanation
                .outcome()
                .filter(text -> !text.equals(explanation.decision()))
                .map(text -> ", then " + Decisions.painted(ink, Printable.line(text)))
                .orElse("");
        screen.print(Decisions.painted(ink, explanation.decision())
                + outcome
                + explanation
                        .rule()
                        .map(rule -> " by " + ink.bold(Printable.line(rule)))
                        .orElse(": no rule matched"));
        explanation.reason().ifPresent(reason -> fact("reason", reason));
        explanation.place().ifPresent(place -> fact("where", place));
        printConsidered(explanation, all);
        explanation.suggestion().ifPresent(suggestion -> print(suggestion, again));
    }

    private void fact(String name, String value) {
        screen.print("  " + ink.faint("%-8s".formatted(name)) + Printable.line(value));
    }

    private void printConsidered(Explanation explanation, boolean all) {
        // The one that decided stands above already.
        List<Explanation.Considered> others = explanation.considered().stream()
                .filter(rule ->
                        all || explanation.rule().filter(rule.rule()::equals).isEmpty())
                .toList();
        List<Explanation.Considered> shown =
                others.stream().filter(rule -> all || isTelling(rule)).toList();
        int hidden = others.size() - shown.size();
        if (shown.isEmpty() && hidden == 0) {
            return;
        }
        screen.print("");
        for (Explanation.Considered rule : shown) {
            screen.print(sign(rule.verdict()) + " " + Printable.line(RuleNames.shown(rule.rule()))
                    + ink.faint("  " + Printable.line(rule.decision()) + ", priority " + rule.priority()
                            + rule.place()
                                    .map(place -> ", " + Printable.line(place))
                                    .orElse("")));
            if (!rule.why().isEmpty()) {
                screen.print("    " + Printable.line(rule.why()));
            }
        }
        if (hidden > 0) {
            screen.print(ink.faint(
                    "  " + Amounts.counted(hidden, "other rule") + " did not match; --all shows " + them(hidden)));
        }
    }

    private static String them(int count) {
        return count == 1 ? "it" : "them";
    }

    private static boolean isTelling(Explanation.Considered rule) {
        return rule.verdict().equals("almost") || rule.verdict().equals("matched");
    }

    private String sign(String verdict) {
        return switch (verdict) {
            case "matched" -> "  matches      ";
            case "almost" -> ink.yellow("  almost       ");
            case "missing" -> "  missing value";
            default -> "  no match     ";
        };
    }

    private void print(Explanation.Suggestion suggestion, Optional<String> again) {
        screen.print("");
        if (suggestion.toml().isEmpty()) {
            screen.print("It cannot be allowed by a rule of yours"
                    + suggestion
                            .note()
                            .filter(note -> !note.isEmpty())
                            .map(note -> ": " + Printable.line(note))
                            .orElse("."));
            return;
        }
        screen.print(ink.bold("To allow this") + ", add the rule"
                + suggestion
                        .file()
                        .filter(file -> !file.isEmpty())
                        .map(file -> " to " + Printable.line(file))
                        .orElse("")
                + ":");
        screen.print("");
        suggestion.toml().strip().lines().forEach(line -> screen.print("  " + ink.cyan(Printable.line(line))));
        screen.print("");
        suggestion.note().filter(note -> !note.isEmpty()).ifPresent(note -> screen.print("  " + Printable.line(note)));
        again.ifPresent(command -> screen.print("  → " + command + " | capsem rules add -"));
    }
}
