package dev.capsem.cli.rules;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// `capsem rules add`
@Command(
        footer = {
            "",
            "They go into the profile's own file in ~/.capsem/profiles, and running sandboxes see them on",
            "their next event. All or nothing: with a mistake nothing is added. Exit code 1 then.",
            "",
            "Examples:",
            "  capsem rules add my-rules.toml",
            "  capsem rules why lab --toml | capsem rules add -"
        })
public final class RulesAddCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    @Option(names = "--profile", paramLabel = "ID", description = "To this profile; else to the one in use.")
    Optional<String> profile = Optional.empty();

    @Parameters(index = "0", paramLabel = "FILE", description = "A file with rules, or - for stdin.")
    String file = "";

    private final CliContext context;

    public RulesAddCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public boolean takePlain(OutputOptions given, List<String> words) {
        if (words.size() != 1) {
            return false;
        }
        output = given;
        file = words.getFirst();
        return true;
    }

    @Override
    public int run() {
        SourceFile source = SourceFile.read(context, file);
        // Checked first, so that mistakes are shown at their place and not as one refusal.
        JsonNode check = context.service().post("/rules/check", RulesCheckCommand.question(source, Optional.empty()));
        if (!check.path("ok").asBoolean(false)) {
            return refuse(source, check);
        }
        JsonNode reply = context.service().post("/rules", RulesCheckCommand.question(source, profile));
        if (output.isJson()) {
            output.print(context.screen(), reply);
        } else if (!output.isQuiet()) {
            Ink ink = context.screen().outInk();
            for (JsonMembers rule : JsonMembers.of(reply, "").objects("added")) {
                context.screen().print(ink.green("added ") + Printable.line(rule.text("id")));
            }
        }
        return ExitCode.DONE;
    }

    private int refuse(SourceFile source, JsonNode check) {
        if (output.isJson()) {
            output.print(context.screen(), check);
        } else {
            var printer = new FindingPrinter(context.screen());
            Finding.of(check).forEach(finding -> printer.print(finding, source));
            context.screen().remark("nothing was added");
        }
        return ExitCode.NO;
    }
}
