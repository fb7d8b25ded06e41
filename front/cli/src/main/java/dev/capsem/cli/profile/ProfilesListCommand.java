package dev.capsem.cli.profile;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ListTable;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.cli.screen.Table;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;

/// `capsem profiles list`
@Command(footer = {"", "Examples:", "  capsem profiles list", "  capsem profiles list --json | jq -r .chosen"})
public final class ProfilesListCommand extends PrintingCommand {
    public ProfilesListCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return words.isEmpty();
    }

    @Override
    public int run() {
        JsonNode reply = context.service().get("/profiles");
        String chosen = reply.path("chosen").asString("");
        var problems = new ArrayList<String>();
        Screen screen = context.screen();
        Ink ink = screen.outInk();
        int exitCode = new ListTable(reply, "profiles", "id", "no profiles")
                .print(
                        context,
                        output,
                        Table.of("", "PROFILE", "FROM", "DESCRIPTION")
                                .painted(0, ink::green)
                                .key(1)
                                .yielding(3)
                                .expendable(2),
                        (table, profile) -> {
                            String id = profile.text("id");
                            table.add(
                                    id.equals(chosen) ? "*" : "",
                                    id,
                                    profile.optionalText("source").orElse(""),
                                    profile.optionalText("description").orElse(""));
                            profile.node("problems")
                                    .ifPresent(found -> found.values()
                                            .forEach(problem -> problems.add(
                                                    " in " + id + ": " + Printable.line(ProblemText.of(problem)))));
                        });
        problems.forEach(problem -> screen.print(ink.red("problem") + problem));
        return exitCode;
    }
}
