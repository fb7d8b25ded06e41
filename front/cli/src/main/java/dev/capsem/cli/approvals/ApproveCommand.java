package dev.capsem.cli.approvals;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Printable;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// `capsem approvals approve`
@Command(
        footer = {
            "",
            "once: this one only. session: the same again in this sandbox is not asked. always: writes a",
            "rule of yours that allows it from now on, and says where.",
            "",
            "Examples:",
            "  capsem approvals approve q-17",
            "  capsem approvals approve q-17 --scope session"
        })
public final class ApproveCommand extends PrintingCommand {
    enum Scope {
        once,
        session,
        always
    }

    @Option(
            names = "--scope",
            paramLabel = "once|session|always",
            description = "How long the approval holds (default: once).")
    Scope scope = Scope.once;

    @Parameters(index = "0", paramLabel = "ID", description = "Id of the question, as shown by `capsem approvals`.")
    String id = "";

    public ApproveCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return one(words, word -> id = word);
    }

    @Override
    public int run() {
        ApprovalAnswer answer = ApprovalAnswer.valueOf(scope.name().toUpperCase(Locale.ROOT));
        JsonNode reply = answer.send(context, id);
        if (output.isJson()) {
            output.print(context.screen(), reply);
        } else if (!output.isQuiet()) {
            context.screen().print(answer.told());
            JsonMembers.of(reply, "")
                    .optionalObject("rule_written")
                    .ifPresent(rule -> context.screen()
                            .print("  rule "
                                    + Printable.line(rule.optionalText("id").orElse("")) + " in "
                                    + Printable.line(rule.optionalText("file").orElse(""))));
        }
        return ExitCode.DONE;
    }
}
