package dev.capsem.cli.rules;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Decisions;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.cli.screen.Table;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.json.JsonMembers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/// `capsem rules list`
@Command(
        footer = {
            "",
            "The first rule that matches decides; what no rule matches is blocked. Ids are shown without",
            "`security.rules.`; commands take them both ways.",
            "",
            "Examples:",
            "  capsem rules list",
            "  capsem rules list --sandbox lab               with how often each has decided",
            "  capsem rules list --profile locked-down --on http.request"
        })
public final class RulesListCommand extends PrintingCommand {
    @Option(names = "--profile", paramLabel = "ID", description = "The profile's name (default: the one in use).")
    Optional<String> profile = Optional.empty();

    @Option(names = "--sandbox", paramLabel = "SANDBOX", description = "Show the rules in force in this sandbox.")
    Optional<String> sandbox = Optional.empty();

    @Option(names = "--on", paramLabel = "EVENT", description = "Only rules for this event, like http.request.")
    Optional<String> event = Optional.empty();

    public RulesListCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return words.isEmpty();
    }

    @Override
    public int run() {
        if (profile.isPresent() && sandbox.isPresent()) {
            throw CliProblem.usage("--profile and --sandbox exclude each other", "a sandbox has its own profile");
        }
        String query = profile.map(id -> "?profile=" + ServiceClient.encode(id))
                .or(() -> sandbox.map(id -> "?sandbox=" + ServiceClient.encode(id)))
                .orElse("");
        JsonNode reply = context.service().get("/rules" + query);
        if (output.isJson()) {
            output.print(context.screen(), reply);
            return ExitCode.DONE;
        }
        print(JsonMembers.of(reply, ""));
        return ExitCode.DONE;
    }

    private void print(JsonMembers reply) {
        Screen screen = context.screen();
        var headings = new ArrayList<>(List.of(">PRIORITY", "RULE", "ON", "DECISION", "FROM"));
        sandbox.ifPresent(_ -> headings.add(">MATCHES"));
        var table = Table.of(headings.toArray(String[]::new))
                .key(1)
                .yielding(4)
                .expendable(4, 0)
                .painted(3, decision -> Decisions.painted(screen.outInk(), decision));
        int shown = 0;
        for (JsonMembers rule : reply.objects("rules")) {
            String on = rule.optionalText("callback").orElse("");
            if (event.isEmpty() || event.get().equals(on)) {
                shown++;
                table.add(
                        String.valueOf(rule.number("priority", 0)),
                        RuleNames.shown(rule.text("id")),
                        on,
                        rule.optionalText("decision").orElse(""),
                        from(rule),
                        String.valueOf(rule.number("match_count", 0)));
            }
        }
        if (shown == 0) {
            screen.remark("no rules: everything is blocked");
        } else {
            table.printTo(screen);
        }
        reply.node("warnings").ifPresent(warnings -> warnings.values().forEach(this::warn));
        if (!output.isQuiet()) {
            screen.remark(screen.errInk()
                    .faint(Amounts.counted(shown, "rule") + ", profile "
                            + Printable.line(reply.optionalText("profile_id").orElse("?"))));
        }
    }

    private void warn(JsonNode warning) {
        String text = warning.isString()
                ? warning.stringValue()
                : warning.path("message").asString("");
        Screen screen = context.screen();
        screen.remark(screen.errInk().yellow("warning: ") + Printable.line(text));
    }

    /// `user, coding.toml:12`, or what kind of thing made it.
    private static String from(JsonMembers rule) {
        Optional<JsonMembers> provenance = rule.optionalObject("provenance");
        String source = provenance
                .flatMap(from -> from.optionalText("source").or(() -> from.optionalText("layer")))
                .or(() -> rule.optionalText("source_profile"))
                .orElse("");
        String path = provenance
                .flatMap(from -> from.optionalText("path").or(() -> from.optionalText("file")))
                .orElse("");
        boolean isLocked = provenance.map(from -> from.flag("locked", false)).orElse(false);
        String derived = rule.flag("derived", false) ? ", derived" : "";
        return source + (path.isEmpty() ? "" : ", " + lastName(path)) + derived + (isLocked ? ", locked" : "");
    }

    private static String lastName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
