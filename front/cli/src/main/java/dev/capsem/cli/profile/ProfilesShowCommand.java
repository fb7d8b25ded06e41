package dev.capsem.cli.profile;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Facts;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/// `capsem profiles show`
@Command(
        footer = {
            "",
            "With --effective: every entry that applies, whose it is, where it stands and whether it is",
            "locked, after built-in profile, company, your own file and this host were put together.",
            "",
            "Examples:",
            "  capsem profiles show",
            "  capsem profiles show locked-down",
            "  capsem profiles show --effective coding"
        })
public final class ProfilesShowCommand extends PrintingCommand {
    @Option(names = "--effective", description = "Show every entry that applies, with its origin.")
    boolean effective;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "ID",
            description = "Name of the profile (default: the one in use).")
    Optional<String> profile = Optional.empty();

    private final Screen screen;

    public ProfilesShowCommand(CliContext context) {
        super(context);
        this.screen = context.screen();
    }

    @Override
    protected boolean takeWords(List<String> words) {
        profile = words.stream().findFirst();
        return words.size() <= 1;
    }

    @Override
    public int run() {
        String id = profile.orElseGet(
                () -> context.service().get("/profiles").path("chosen").asString("coding"));
        JsonNode reply =
                context.service().get("/profiles/" + ServiceClient.encode(id) + (effective ? "?effective=true" : ""));
        if (output.isJson()) {
            output.print(screen, reply);
            return ExitCode.DONE;
        }
        JsonMembers fields = JsonMembers.of(reply, "");
        if (!effective && fields.optionalText("text").isPresent()) {
            screen.print(Printable.text(fields.text("text").stripTrailing()));
            return ExitCode.DONE;
        }
        printHead(id, fields);
        fields.objects("entries").forEach(this::print);
        return ExitCode.DONE;
    }

    private void printHead(String id, JsonMembers fields) {
        var facts = new Facts();
        facts.add(
                "profile",
                fields.optionalText("profile_id")
                        .or(() -> fields.optionalText("id"))
                        .orElse(id));
        for (String name : List.of("name", "description", "source", "extends", "revision")) {
            fields.node(name).filter(JsonNode::isValueNode).ifPresent(value -> facts.add(name, value.asString()));
        }
        fields.optionalObject("editable").ifPresent(_ -> {
            fields.node("editable").ifPresent(flags -> facts.add("you may change", open(flags)));
        });
        fields.node("layers").filter(JsonNode::isArray).ifPresent(layers -> facts.add("layers", joined(layers)));
        facts.printTo(screen);
        fields.node("warnings")
                .ifPresent(warnings -> warnings.values()
                        .forEach(warning -> screen.print(
                                screen.outInk().yellow("warning: ") + Printable.line(ProblemText.of(warning)))));
        fields.node("notices")
                .ifPresent(notices -> notices.values()
                        .forEach(notice -> screen.print(
                                screen.outInk().yellow("note: ") + Printable.line(ProblemText.of(notice)))));
    }

    private static String open(JsonNode flags) {
        var names = flags.properties().stream()
                .filter(flag -> flag.getValue().asBoolean(false))
                .map(flag -> flag.getKey())
                .toList();
        return names.isEmpty() ? "nothing" : String.join(", ", names);
    }

    private static String joined(JsonNode texts) {
        return String.join(
                ", ", texts.values().stream().map(text -> text.asString("")).toList());
    }

    private void print(JsonMembers entry) {
        Ink ink = screen.outInk();
        String whose = entry.optionalObject("provenance")
                .map(ProfilesShowCommand::whose)
                .orElse("");
        screen.print("");
        screen.print(ink.bold(Printable.line(entry.text("path"))) + "  " + ink.faint(Printable.line(whose)));
        entry.optionalObject("rule")
                .flatMap(rule -> rule.optionalText("text"))
                .or(() -> entry.node("server").map(Json::text))
                .or(() -> entry.node("value").map(value -> value.asString("")))
                .ifPresent(text -> text.strip().lines().forEach(line -> screen.print("  " + Printable.line(line))));
    }

    private static String whose(JsonMembers provenance) {
        String file = provenance.optionalText("file").orElse("");
        String line =
                file.isEmpty() || provenance.optionalNumber("line").isEmpty() ? "" : ":" + provenance.number("line");
        return provenance.optionalText("layer").orElse("")
                + (file.isEmpty() ? "" : ", " + file + line)
                + (provenance.flag("locked", false) ? ", locked" : "")
                + provenance.optionalText("reason").map(reason -> ": " + reason).orElse("");
    }
}
