package dev.capsem.cli.rules;

import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Decisions;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Prints an explanation: what happened, which rule decided, which almost did, and how to allow it.
final class ExplanationPrinter {
    private final Consumer<String> paper;
    private final Ink ink;

    ExplanationPrinter(Consumer<String> paper, Ink ink) {
        this.paper = paper;
        this.ink = ink;
    }

    static ExplanationPrinter onStdout(Screen screen) {
        return new ExplanationPrinter(screen::print, screen.outInk());
    }

    /// @param all every rule that was asked, not only those that matched or almost did
    /// @param again the command that prints the suggested rule alone, if there is one
    void print(ExplainedDecision explanation, boolean all, Optional<String> again) {
        ExplainedDecision.Event event = explanation.event();
        paper.accept(ink.bold(Printable.line(event.type())) + "  " + Printable.line(event.subject())
                + event.at().map(at -> ink.faint("  " + Printable.line(at))).orElse(""));
        String outcome = explanation
                .outcome()
                // What is allowed goes on: the record calls that `continue`.
                .filter(text -> !text.equals(explanation.decision()) && !text.equals("continue"))
                .map(text -> ", then " + Decisions.painted(ink, Printable.line(text)))
                .orElse("");
        paper.accept(Decisions.painted(ink, explanation.decision())
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
        paper.accept("  " + ink.faint("%-8s".formatted(name)) + Printable.line(value));
    }

    private void printConsidered(ExplainedDecision explanation, boolean all) {
        // The one that decided stands above already.
        List<ExplainedDecision.Considered> others = explanation.considered().stream()
                .filter(rule ->
                        all || explanation.rule().filter(rule.rule()::equals).isEmpty())
                .toList();
        List<ExplainedDecision.Considered> shown =
                others.stream().filter(rule -> all || isTelling(rule)).toList();
        int hidden = others.size() - shown.size();
        if (shown.isEmpty() && hidden == 0) {
            return;
        }
        paper.accept("");
        for (ExplainedDecision.Considered rule : shown) {
            paper.accept(sign(rule.match()) + " " + Printable.line(RuleNames.shown(rule.rule()))
                    + ink.faint("  " + Printable.line(rule.decision()) + ", priority " + rule.priority()
                            + rule.place()
                                    .map(place -> ", " + Printable.line(place))
                                    .orElse("")));
            if (!rule.why().isEmpty()) {
                paper.accept("    " + Printable.line(rule.why()));
            }
        }
        if (hidden > 0) {
            paper.accept(ink.faint(
                    "  " + Amounts.counted(hidden, "other rule") + " did not match; --all shows " + them(hidden)));
        }
    }

    private static String them(int count) {
        return count == 1 ? "it" : "them";
    }

    private static boolean isTelling(ExplainedDecision.Considered rule) {
        return rule.match().equals("almost") || rule.match().equals("matched");
    }

    private String sign(String match) {
        return switch (match) {
            case "matched" -> "  matches      ";
            case "almost" -> ink.yellow("  almost       ");
            case "missing" -> "  missing value";
            default -> "  no match     ";
        };
    }

    void print(ExplainedDecision.Suggestion suggestion, Optional<String> again) {
        paper.accept("");
        if (suggestion.toml().isEmpty()) {
            paper.accept("It cannot be allowed by a rule of yours"
                    + suggestion
                            .note()
                            .filter(note -> !note.isEmpty())
                            .map(note -> ": " + Printable.line(note))
                            .orElse("."));
            return;
        }
        paper.accept(ink.bold("To allow this") + ", add the rule"
                + suggestion
                        .file()
                        .filter(file -> !file.isEmpty())
                        .map(file -> " to " + Printable.line(file))
                        .orElse("")
                + ":");
        paper.accept("");
        suggestion.toml().strip().lines().forEach(line -> paper.accept("  " + ink.cyan(Printable.line(line))));
        paper.accept("");
        suggestion.note().filter(note -> !note.isEmpty()).ifPresent(note -> paper.accept("  " + Printable.line(note)));
        paper.accept("  → "
                + again.map(command -> command + " | capsem rules add -")
                        .orElse("save it as a file, then: capsem rules add FILE"));
    }
}
