package dev.capsem.cli.profile;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.cli.screen.Table;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/// `capsem profiles list`
@Command(footer = {"", "Examples:", "  capsem profiles list", "  capsem profiles list --json | jq -r .chosen"})
public final class ProfilesListCommand implements CapsemCommand {
    @Mixin
    OutputOptions output = new OutputOptions();

    private final CliContext context;

    public ProfilesListCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public boolean takePlain(OutputOptions given, List<String> words) {
        output = given;
        return words.isEmpty();
    }

    @Override
    public int run() {
        JsonNode reply = context.service().get("/profiles");
        if (output.isJson()) {
            output.print(context.screen(), reply);
            return ExitCode.DONE;
        }
        Screen screen = context.screen();
        Ink ink = screen.outInk();
        JsonMembers fields = JsonMembers.of(reply, "");
        String chosen = fields.optionalText("chosen").orElse("");
        var table = Table.of("", "PROFILE", "FROM", "DESCRIPTION")
                .painted(0, ink::green)
                .key(1)
                .yielding(3)
                .expendable(2);
        for (JsonMembers profile : fields.objects("profiles")) {
            String id = profile.text("id");
            table.add(
                    id.equals(chosen) ? "*" : "",
                    id,
                    profile.optionalText("source").orElse(""),
                    profile.optionalText("description").orElse(""));
        }
        table.printTo(screen);
        for (JsonMembers profile : fields.objects("profiles")) {
            profile.node("problems")
                    .ifPresent(problems -> problems.values()
                            .forEach(problem -> screen.print(ink.red("problem") + " in " + profile.text("id") + ": "
                                    + Printable.line(ProblemText.of(problem)))));
        }
        return ExitCode.DONE;
    }
}
