package dev.capsem.cli.rules;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/// `capsem rules test`
@Command(
        footer = {
            "",
            "Expectations are [[security.expect]] tables beside the rules: an event and the decision it must",
            "get. Exit code 1 when one is not met, or when the file has a mistake.",
            "",
            "Examples:",
            "  capsem rules test my-rules.toml",
            "  capsem rules test my-rules.toml --profile coding     its rules apply too"
        })
public final class RulesTestCommand extends PrintingCommand {
    @Option(names = "--profile", paramLabel = "ID", description = "Add the rules of this profile.")
    Optional<String> profile = Optional.empty();

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files with rules, or - for stdin.")
    List<String> files = new ArrayList<>();

    private final Screen screen;

    public RulesTestCommand(CliContext context) {
        super(context);
        this.screen = context.screen();
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return many(words, given -> files = given);
    }

    @Override
    public int run() {
        ArrayNode replies = Json.array();
        boolean allMet = true;
        for (String name : files) {
            SourceFile source = SourceFile.read(context, name);
            JsonNode reply = Progress.during(
                    screen,
                    "testing",
                    () -> context.service().post("/rules/test", RulesCheckCommand.question(source, profile)));
            allMet &= reply.path("ok").asBoolean(false);
            replies.add(reply);
            if (!output.isJson()) {
                print(source, reply);
            }
        }
        if (output.isJson()) {
            output.print(screen, replies.size() == 1 ? replies.get(0) : replies);
        }
        return allMet ? ExitCode.DONE : ExitCode.NO;
    }

    private void print(SourceFile source, JsonNode reply) {
        Ink ink = screen.outInk();
        screen.print(ink.bold(Printable.line(source.name())));
        var printer = new FileProblemPrinter(screen);
        FileProblem.of(reply).forEach(finding -> printer.print(finding, source));
        JsonMembers fields = JsonMembers.of(reply, "");
        for (JsonMembers outcome : fields.objects("cases")) {
            print(outcome, ink);
        }
        int failed = fields.integer("failed", 0);
        int passed = fields.integer("passed", 0);
        if (passed + failed == 0 && fields.flag("ok", false)) {
            screen.remark("no expectations: write [[security.expect]] beside the rules");
        } else if (!output.isQuiet()) {
            screen.print((failed == 0 ? ink.green(passed + " passed") : passed + " passed") + ", "
                    + (failed == 0 ? "0 failed" : ink.red(failed + " failed")));
        }
    }

    private void print(JsonMembers outcome, Ink ink) {
        boolean isMet = outcome.flag("ok");
        String line = outcome.optionalNumber("line").isPresent() ? "line " + outcome.number("line") : "";
        String name =
                outcome.optionalText("name").filter(text -> !text.isEmpty()).orElse(line);
        if (isMet && output.isQuiet()) {
            return;
        }
        screen.print("  " + (isMet ? ink.green("✓ ") : ink.red("✗ ")) + Printable.line(name)
                + (isMet || name.equals(line) ? "" : ink.faint(" (" + line + ")")));
        if (!isMet) {
            String by = outcome.optionalText("rule").map(rule -> " by " + rule).orElse("");
            screen.print(Printable.line("      expected "
                    + outcome.optionalText("expected").orElse("?") + ", got "
                    + outcome.optionalText("actual").orElse("?") + by));
            outcome.optionalText("message").ifPresent(why -> screen.print("      " + Printable.line(why)));
        }
    }
}
