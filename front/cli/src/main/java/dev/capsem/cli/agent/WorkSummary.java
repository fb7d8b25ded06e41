package dev.capsem.cli.agent;

import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Printable;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.DiffReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// What an agent did, in a few lines. Pure.
///
/// @param cost the member `total` of the service's report on the sandbox
/// @param budget what it may spend
/// @param refusedHosts without those that are refused quietly
/// @param tools how often a model asked for each tool, most first
/// @param commands how many programs were started inside
record WorkSummary(
        String sandbox,
        long seconds,
        JsonNode cost,
        String budget,
        List<String> refusedHosts,
        Map<String, Long> tools,
        long commands,
        DiffReply diff) {
    private static final int FILES_NAMED_MAX = 6;
    private static final int TOOLS_NAMED_MAX = 6;
    private static final int HOSTS_NAMED_MAX = 3;

    List<String> lines() {
        var lines = new ArrayList<String>();
        lines.add(sandbox + ": " + String.join(", ", figures()));
        if (!refusedHosts.isEmpty()) {
            lines.add("  refused  " + some(refusedHosts, HOSTS_NAMED_MAX) + "   why: capsem rules why " + sandbox);
        }
        if (!tools.isEmpty() || commands > 0) {
            lines.add("  did      " + String.join(", ", deeds()));
        }
        lines.add("  changed  " + changed());
        return lines;
    }

    private List<String> figures() {
        var figures = new ArrayList<String>();
        figures.add(Amounts.duration(seconds));
        long calls = cost.path("calls").asLong(0);
        figures.add(Amounts.counted(calls, "call"));
        long tokens =
                cost.path("input_tokens").asLong(0) + cost.path("output_tokens").asLong(0);
        if (calls > 0) {
            figures.add(thousands(tokens) + " tokens");
            figures.add(dollars());
        }
        if (!refusedHosts.isEmpty()) {
            figures.add(Amounts.counted(refusedHosts.size(), "host") + " refused");
        }
        return figures;
    }

    /// `$1.88 of $5.00`; `+ ?` if the price of some calls is not known.
    private String dollars() {
        String spent = money(cost.path("known_cost_usd").asDouble(0))
                + (cost.path("unknown_calls").asLong(0) > 0 ? " + ?" : "");
        Optional<String> limit = Optional.of(budget)
                .filter(text -> text.endsWith("usd"))
                .map(text -> money(Double.parseDouble(text.replace("usd", "").strip())));
        return spent + limit.map(text -> " of " + text).orElse(" (budget " + budget + ")");
    }

    private static String money(double amount) {
        return String.format(Locale.ROOT, "$%.2f", amount);
    }

    private static String thousands(long count) {
        return count < 10_000 ? Long.toString(count) : count / 1_000 + "k";
    }

    private List<String> deeds() {
        var deeds = new ArrayList<String>();
        tools.entrySet().stream()
                .limit(TOOLS_NAMED_MAX)
                .forEach(tool -> deeds.add(
                        Printable.line(tool.getKey()) + (tool.getValue() == 1 ? "" : " ×" + tool.getValue())));
        if (commands > 0) {
            deeds.add(Amounts.counted(commands, "program") + " started");
        }
        if (!diff.commits().isEmpty()) {
            deeds.add("commits on "
                    + Printable.line(String.join(
                            ", ",
                            diff.commits().stream()
                                    .map(DiffReply.Commits::branch)
                                    .toList())));
        }
        return deeds;
    }

    private String changed() {
        List<String> files = diff.changes().stream()
                .filter(change -> !change.note().filter("directory"::equals).isPresent())
                .map(WorkSummary::file)
                .toList();
        String ignored = diff.ignored() == 0
                ? ""
                : "   (" + Amounts.counted(diff.ignored(), "ignored file") + (diff.ignored() == 1 ? " stays" : " stay")
                        + " inside)";
        return (files.isEmpty() ? "nothing" : some(files, FILES_NAMED_MAX)) + ignored;
    }

    private static String file(DiffReply.Change change) {
        String lines = (change.insertions() > 0 ? " +" + change.insertions() : "")
                + (change.deletions() > 0 ? " −" + change.deletions() : "");
        String kind = change.kind().equals("deleted") ? " deleted" : "";
        return Printable.line(change.path()) + kind + lines;
    }

    private static String some(List<String> texts, int most) {
        String named = String.join(
                ", ", texts.stream().limit(most).map(Printable::line).toList());
        return texts.size() > most ? named + " and " + (texts.size() - most) + " more" : named;
    }

    ObjectNode toJson() {
        ObjectNode json =
                Json.object().put("id", sandbox).put("seconds", seconds).put("budget", budget);
        json.set("cost", cost);
        var hosts = json.putArray("refused_hosts");
        refusedHosts.forEach(hosts::add);
        ObjectNode asked = json.putObject("tools");
        tools.forEach(asked::put);
        json.put("programs", commands);
        ObjectNode changes = diff.toJson();
        List.of("changes", "ignored", "commits", "held").forEach(name -> json.set(name, changes.path(name)));
        return json;
    }
}
