package dev.capsem.cli.profile;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.rules.FileProblem;
import dev.capsem.cli.rules.FileProblemPrinter;
import dev.capsem.cli.rules.SourceFile;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.wire.json.Json;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem profiles validate`
@Command(
        footer = {
            "",
            "Nothing is changed. Exit code 1 when there is a mistake.",
            "",
            "Examples:",
            "  capsem profiles validate my-team.toml"
        })
public final class ProfilesValidateCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "FILE", description = "A profile, or - for stdin.")
    String file = "";

    public ProfilesValidateCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> file = word);
    }

    @Override
    public int run() {
        SourceFile source = SourceFile.read(context, file);
        ObjectNode question = Json.object().put("name", source.name()).put("text", source.text());
        source.lists().forEach(question.putObject("lists")::put);
        JsonNode reply = context.service().post("/profiles/validate", question);
        boolean isFine = reply.path("ok").asBoolean(false);
        if (output.isJson()) {
            output.print(context.screen(), reply);
        } else {
            print(source, FileProblem.of(reply), isFine);
        }
        return isFine ? ExitCode.DONE : ExitCode.NO;
    }

    private void print(SourceFile source, List<FileProblem> findings, boolean isFine) {
        var printer = new FileProblemPrinter(context.screen());
        findings.forEach(finding -> printer.print(finding, source));
        if (!output.isQuiet()) {
            Ink ink = context.screen().outInk();
            long problems =
                    findings.stream().filter(finding -> !finding.isWarning()).count();
            context.screen()
                    .print((isFine ? ink.green("✓ ") : ink.red("✗ ")) + Printable.line(source.name()) + ": "
                            + (isFine ? "a profile that can be used" : Amounts.counted(problems, "problem")));
        }
    }
}
