package dev.capsem.cli.rules;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Progress;
import dev.capsem.client.io.RequestTarget;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `capsem allow`
@Command(
        footer = {
            "",
            "Adds rules of yours to the profile's own file in ~/.capsem/profiles; running sandboxes see them",
            "on their next event. *.example.com allows the names below example.com, not example.com itself.",
            "A path allows itself and everything below it. A host in your own network needs --inside and a",
            "port. Exit code 1 if another rule, such as one of your company's, still does not allow it.",
            "",
            "Examples:",
            "  capsem allow docs.example.com",
            "  capsem allow '*.example.com' --reading          GET and HEAD only",
            "  capsem allow https://api.example.com/v2 --profile coding",
            "  capsem allow nas.example:8080 --inside"
        })
public final class AllowCommand extends PrintingCommand {
    private static final String REASON = "you allowed it with capsem allow";

    @Parameters(arity = "1..*", paramLabel = "HOST", description = "Hosts, with a port or a path if you like.")
    List<String> hosts = new ArrayList<>();

    @Option(names = "--reading", description = "Allow GET and HEAD only.")
    boolean reading;

    @Option(names = "--inside", description = "Allow a private or loopback address behind the name.")
    boolean inside;

    @Option(names = "--profile", paramLabel = "ID", description = "The profile to add to (default: the one in use).")
    Optional<String> profile = Optional.empty();

    public AllowCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        return many(words, given -> hosts = given);
    }

    @Override
    public int run() {
        // All are read before the first is allowed.
        List<AllowedHost> asked = hosts.stream().map(AllowedHost::parse).toList();
        if (inside) {
            asked.stream().filter(host -> host.port().isEmpty()).findFirst().ifPresent(host -> {
                throw CliProblem.usage(
                        "--inside opens one port, and " + Printable.line(host.host()) + " has none",
                        "capsem allow " + Printable.line(host.host()) + ":8080 --inside");
            });
        }
        Map<String, String> known = known();
        ArrayNode results = Json.array();
        boolean isAllAllowed = true;
        for (AllowedHost host : asked) {
            ObjectNode result = allow(host, known);
            isAllAllowed &= result.path("decision").asString("").equals("allow");
            results.add(result);
            if (!output.isJson() && !output.isQuiet()) {
                print(host, result);
            }
        }
        if (output.isJson()) {
            output.print(context.screen(), results.size() == 1 ? results.get(0) : results);
        }
        return isAllAllowed ? ExitCode.DONE : ExitCode.NO;
    }

    /// Conditions by the id of their rule.
    private Map<String, String> known() {
        String target = new RequestTarget("rules").with("profile", profile).toString();
        Map<String, String> known = new HashMap<>();
        JsonMembers.of(context.service().get(target), "")
                .objects("rules")
                .forEach(rule -> known.put(
                        rule.text("id"), rule.optionalText("condition").orElse("")));
        return known;
    }

    private ObjectNode allow(AllowedHost host, Map<String, String> known) {
        ObjectNode result = Json.object().put("host", host.host());
        ArrayNode rules = result.putArray("rules");
        boolean isNew = add("http", "http.request", host.condition(reading, inside), host, known, rules);
        if (!host.isAddress()) {
            isNew |= add("dns", "dns.request", host.nameCondition(), host, known, rules);
        }
        ObjectNode question = Json.object().put("on", "http.request");
        question.set("given", host.example());
        profile.ifPresent(id -> question.put("profile", id));
        JsonNode said = context.service().post("/rules/explain", question);
        result.put("added", isNew).put("decision", said.path("decision").asString(""));
        if (!result.path("decision").asString("").equals("allow")) {
            result.put("rule", said.path("rule").asString(""));
        }
        return result;
    }

    /// @return whether the rule was not there already
    private boolean add(
            String type, String on, String condition, AllowedHost host, Map<String, String> known, ArrayNode rules) {
        String first = RuleNames.whole(type + "." + host.ruleName(reading && type.equals("http")));
        String id = first;
        for (int number = 2; known.containsKey(id); number++) {
            if (condition.equals(known.get(id))) {
                rules.add(id);
                return false;
            }
            id = first + "_" + number;
        }
        ObjectNode request = Json.object().put("id", id);
        profile.ifPresent(name -> request.put("profile", name));
        request.putObject("rule")
                .put("on", on)
                .put("if", condition)
                .put("decision", "allow")
                .put("reason", REASON);
        Progress.during(context.screen(), "adding", () -> context.service().post("/rules", request));
        known.put(id, condition);
        rules.add(id);
        return true;
    }

    private void print(AllowedHost host, ObjectNode result) {
        var screen = context.screen();
        String shown = (host.isEveryBelow() ? "*." : "") + Printable.line(host.host());
        if (!result.path("decision").asString("").equals("allow")) {
            screen.print(screen.outInk().red("not allowed ") + shown + ": the rules of yours were added, but "
                    + Printable.line(RuleNames.shown(result.path("rule").asString(""))) + " still decides "
                    + Printable.line(result.path("decision").asString("")));
            screen.remark("see why: capsem rules explain --on http.request --given http.request.host="
                    + Printable.line(host.host()));
            return;
        }
        boolean isNew = result.path("added").asBoolean(false);
        screen.print(screen.outInk().green(isNew ? "allowed " : "allowed already: ") + shown);
        List<String> names = new ArrayList<>();
        result.path("rules").forEach(id -> names.add(Printable.line(RuleNames.shown(id.asString("")))));
        screen.remark("take it back: capsem rules remove " + String.join(" ", names));
    }
}
