package dev.capsem.cli.profile;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// `capsem profiles diff`
@Command(
        footer = {
            "",
            "What applies under A and not, or otherwise, under B: rules, MCP servers and settings.",
            "",
            "Examples:",
            "  capsem profiles diff coding locked-down"
        })
public final class ProfilesDiffCommand extends PrintingCommand {
    @Parameters(index = "0", paramLabel = "A", description = "A profile.")
    String from = "";

    @Parameters(index = "1", paramLabel = "B", description = "The profile to compare with.")
    String to = "";

    public ProfilesDiffCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        if (words.size() != 2) {
            return false;
        }
        from = words.get(0);
        to = words.get(1);
        return true;
    }

    @Override
    public int run() {
        JsonNode reply = context.service()
                .get("/profiles/diff?from=" + ServiceClient.encode(from) + "&to=" + ServiceClient.encode(to));
        if (output.isJson()) {
            output.print(context.screen(), reply);
            return ExitCode.DONE;
        }
        List<JsonMembers> changes = JsonMembers.of(reply, "").objects("changes");
        changes.forEach(this::print);
        if (changes.isEmpty()) {
            context.screen().remark("no difference");
        }
        return ExitCode.DONE;
    }

    private void print(JsonMembers change) {
        Screen screen = context.screen();
        Ink ink = screen.outInk();
        screen.print(ink.bold(Printable.line(change.text("path"))) + ": "
                + Printable.line(change.optionalText("kind").orElse("changed")));
        change.optionalObject("before").ifPresent(before -> side(before, "  - ", ink::red));
        change.optionalObject("after").ifPresent(after -> side(after, "  + ", ink::green));
    }

    private void side(JsonMembers entry, String mark, UnaryOperator<String> paint) {
        String text = entry.optionalObject("rule")
                .flatMap(rule -> rule.optionalText("text"))
                .or(() -> entry.node("server").map(Json::text))
                .or(() -> entry.node("value").map(value -> value.asString("")))
                .orElse("");
        text.strip().lines().forEach(line -> context.screen().print(paint.apply(mark + Printable.line(line))));
    }
}
