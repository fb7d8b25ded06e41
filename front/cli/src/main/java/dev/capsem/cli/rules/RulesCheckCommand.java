package dev.capsem.cli.rules;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Progress;
import dev.capsem.wire.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem rules check`
@Command(
        footer = {
            "",
            "Nothing is changed. Mistakes come as file:line:column: message, with the line and a mark under",
            "the place; warnings name rules that never decide, or that can be escaped by leaving something",
            "out. Exit code 1 when there is a mistake; warnings alone are 0.",
            "",
            "Examples:",
            "  capsem rules check my-rules.toml",
            "  capsem rules check ~/.capsem/profiles/*.toml",
            "  capsem rules check - < my-rules.toml"
        })
public final class RulesCheckCommand extends PrintingCommand {
    @Option(names = "--profile", paramLabel = "ID", description = "Add the rules of this profile.")
    Optional<String> profile = Optional.empty();

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files with rules, or - for stdin.")
    List<String> files = new ArrayList<>();

    public RulesCheckCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return many(words, given -> files = given);
    }

    @Override
    public int run() {
        ArrayNode replies = Json.array();
        boolean isClean = true;
        for (String name : files) {
            SourceFile source = SourceFile.read(context, name);
            JsonNode reply = Progress.during(
                    context.screen(),
                    "checking",
                    () -> context.service().post("/rules/check", question(source, profile)));
            isClean &= reply.path("ok").asBoolean(false);
            replies.add(reply);
            if (!output.isJson()) {
                print(source, reply);
            }
        }
        if (output.isJson()) {
            output.print(context.screen(), replies.size() == 1 ? replies.get(0) : replies);
        }
        return isClean ? ExitCode.DONE : ExitCode.NO;
    }

    static ObjectNode question(SourceFile source, Optional<String> profile) {
        ObjectNode question = Json.object().put("name", source.name()).put("text", source.text());
        profile.ifPresent(id -> question.put("profile", id));
        if (!source.lists().isEmpty()) {
            ObjectNode lists = question.putObject("lists");
            source.lists().forEach(lists::put);
        }
        return question;
    }

    private void print(SourceFile source, JsonNode reply) {
        List<FileProblem> findings = FileProblem.of(reply);
        var printer = new FileProblemPrinter(context.screen());
        findings.forEach(finding -> printer.print(finding, source));
        if (output.isQuiet()) {
            return;
        }
        Ink ink = context.screen().outInk();
        long problems =
                findings.stream().filter(finding -> !finding.isWarning()).count();
        long warnings = findings.size() - problems;
        String noted = warnings == 0 ? "" : ", " + Amounts.counted(warnings, "warning");
        boolean isFine = reply.path("ok").asBoolean(false);
        context.screen()
                .print((isFine ? ink.green("✓ ") : ink.red("✗ ")) + Printable.line(source.name()) + ": "
                        + (isFine
                                ? Amounts.counted(reply.path("rules").asInt(0), "rule")
                                : Amounts.counted(problems, "problem"))
                        + noted);
    }
}
