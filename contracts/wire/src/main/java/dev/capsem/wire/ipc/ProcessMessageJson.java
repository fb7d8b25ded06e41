package dev.capsem.wire.ipc;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// [ProcessMessage] ↔ JSON. Members are named as the record's components; durations are whole nanoseconds.
final class ProcessMessageJson {
    private ProcessMessageJson() {}

    static ObjectNode write(ProcessMessage message) {
        return switch (message) {
            case ProcessMessage.Hello m ->
                typed("Hello")
                        .put("version", m.version())
                        .put("schemaHash", m.schemaHash())
                        .put("peer", m.peer())
                        .put("pid", m.pid());
            case ProcessMessage.BootStage m ->
                typed("BootStage").put("name", m.name()).put("took", m.took().toNanos());
            case ProcessMessage.Assigned m ->
                typed("Assigned").put("agentPid", m.agentPid()).put("handle", m.handle());
            case ProcessMessage.Status m -> status(m);
            case ProcessMessage.Started m ->
                typed("Started").put("execId", m.execId()).put("guestPid", m.guestPid());
            case ProcessMessage.Output m ->
                typed("Output").put("stream", m.stream()).put("data", m.data());
            case ProcessMessage.Exited m -> {
                ObjectNode json = typed("Exited")
                        .put("exitCode", m.exitCode())
                        .put("timedOut", m.timedOut())
                        .put("took", m.took().toNanos())
                        .put("stdoutBytes", m.stdoutBytes())
                        .put("stderrBytes", m.stderrBytes());
                m.message().ifPresent(text -> json.put("message", text));
                yield json;
            }
            case ProcessMessage.Done m -> typed("Done");
            case ProcessMessage.Event m -> typed("Event").put("kind", m.kind()).put("json", m.json());
            case ProcessMessage.Question m -> question(m);
            case ProcessMessage.Prepared m -> prepared(m);
            case ProcessMessage.QuestionOver m ->
                typed("QuestionOver").put("id", m.id()).put("outcome", m.outcome());
            case ProcessMessage.Reloaded m -> {
                ObjectNode json =
                        typed("Reloaded").put("revision", m.revision()).put("rules", m.rules());
                ArrayNode warnings = json.putArray("warnings");
                m.warnings().forEach(warnings::add);
                yield json;
            }
            case ProcessMessage.Reserve m -> {
                ObjectNode json = typed("Reserve").put("id", m.id()).put("approved", m.approved());
                json.set("claims", claims(m.claims()));
                yield json;
            }
            case ProcessMessage.Took m -> typed("Took").put("id", m.id());
            case ProcessMessage.Settle m -> {
                ObjectNode json = typed("Settle").put("id", m.id());
                json.set("claims", claims(m.claims()));
                yield json;
            }
            case ProcessMessage.Unspent m -> typed("Unspent").put("id", m.id());
            case ProcessMessage.Metrics m -> typed("Metrics").put("json", m.json());
            case ProcessMessage.RuleStats m -> typed("RuleStats").put("json", m.json());
            case ProcessMessage.Tools m -> typed("Tools").put("json", m.json());
            case ProcessMessage.Failed m ->
                typed("Failed")
                        .put("code", m.code().wireName())
                        .put("cause", m.cause())
                        .put("remedy", m.remedy());
        };
    }

    private static ObjectNode status(ProcessMessage.Status m) {
        ObjectNode json = typed("Status")
                .put("state", m.state())
                .put("uptimeMillis", m.uptimeMillis())
                .put("droppedEvents", m.droppedEvents());
        m.sandbox().ifPresent(sandbox -> json.put("sandbox", sandbox));
        m.rulesProblem().ifPresent(problem -> json.put("rulesProblem", problem));
        m.recordProblem().ifPresent(problem -> json.put("recordProblem", problem));
        m.auditProblem().ifPresent(problem -> json.put("auditProblem", problem));
        ObjectNode counters = json.putObject("counters");
        m.counters().forEach(counters::put);
        return json;
    }

    private static ObjectNode prepared(ProcessMessage.Prepared m) {
        ObjectNode json = typed("Prepared").put("id", m.id());
        m.rule().ifPresent(rule -> json.put("rule", rule));
        m.obstacle().ifPresent(obstacle -> json.put("obstacle", obstacle));
        m.inside().ifPresent(inside -> json.put("inside", inside));
        m.covers().ifPresent(covers -> json.put("covers", covers));
        return json;
    }

    private static ObjectNode question(ProcessMessage.Question m) {
        ObjectNode json = typed("Question")
                .put("id", m.id())
                .put("eventType", m.eventType())
                .put("rule", m.rule())
                .put("subject", m.subject())
                .put("askedAtMillis", m.askedAtMillis())
                .put("deadlineMillis", m.deadlineMillis())
                .put("waits", m.waits());
        m.reason().ifPresent(text -> json.put("reason", text));
        m.processName().ifPresent(text -> json.put("processName", text));
        m.suggestion().ifPresent(text -> json.put("suggestion", text));
        ArrayNode details = json.putArray("details");
        m.details()
                .forEach(
                        detail -> details.addObject().put("name", detail.name()).put("text", detail.text()));
        ObjectNode covers = json.putObject("covers")
                .put("once", m.covers().once())
                .put("session", m.covers().session());
        m.covers().always().ifPresent(text -> covers.put("always", text));
        return json;
    }

    static ProcessMessage read(JsonMembers json) {
        return switch (json.text("type")) {
            case "Hello" ->
                new ProcessMessage.Hello(
                        json.integer("version"), json.text("schemaHash"), json.text("peer"), json.number("pid"));
            case "BootStage" -> new ProcessMessage.BootStage(json.text("name"), duration(json, "took"));
            case "Assigned" -> new ProcessMessage.Assigned(json.number("agentPid"), json.text("handle"));
            case "Status" ->
                new ProcessMessage.Status(
                        json.optionalText("sandbox"),
                        json.text("state"),
                        json.number("uptimeMillis"),
                        json.numberMap("counters"),
                        json.optionalNumber("droppedEvents").orElse(0),
                        json.optionalText("rulesProblem"),
                        json.optionalText("recordProblem"),
                        json.optionalText("auditProblem"));
            case "Started" -> new ProcessMessage.Started(json.number("execId"), json.number("guestPid"));
            case "Output" -> new ProcessMessage.Output(json.integer("stream"), json.bytes("data"));
            case "Exited" ->
                new ProcessMessage.Exited(
                        json.integer("exitCode"),
                        json.optionalText("message"),
                        json.flag("timedOut", false),
                        duration(json, "took"),
                        json.number("stdoutBytes"),
                        json.number("stderrBytes"));
            case "Done" -> new ProcessMessage.Done();
            case "Event" -> new ProcessMessage.Event(json.text("kind"), json.text("json"));
            case "Question" ->
                new ProcessMessage.Question(
                        json.text("id"),
                        json.text("eventType"),
                        json.text("rule"),
                        json.optionalText("reason"),
                        json.text("subject"),
                        json.optionalText("processName"),
                        json.optionalText("suggestion"),
                        json.number("askedAtMillis"),
                        json.number("deadlineMillis"),
                        json.objects("details").stream()
                                .map(detail -> new ProcessMessage.Detail(detail.text("name"), detail.text("text")))
                                .toList(),
                        covers(json.object("covers")),
                        json.flag("waits", false));
            case "Prepared" ->
                new ProcessMessage.Prepared(
                        json.text("id"),
                        json.optionalText("rule"),
                        json.optionalText("obstacle"),
                        json.optionalText("inside"),
                        json.optionalText("covers"));
            case "QuestionOver" -> new ProcessMessage.QuestionOver(json.text("id"), json.text("outcome"));
            case "Reloaded" ->
                new ProcessMessage.Reloaded(json.text("revision"), json.number("rules"), json.texts("warnings"));
            case "Reserve" -> new ProcessMessage.Reserve(json.text("id"), claims(json), json.flag("approved", false));
            case "Took" -> new ProcessMessage.Took(json.text("id"));
            case "Settle" -> new ProcessMessage.Settle(json.text("id"), claims(json));
            case "Unspent" -> new ProcessMessage.Unspent(json.text("id"));
            case "Metrics" -> new ProcessMessage.Metrics(json.text("json"));
            case "RuleStats" -> new ProcessMessage.RuleStats(json.text("json"));
            case "Tools" -> new ProcessMessage.Tools(json.text("json"));
            case "Failed" ->
                new ProcessMessage.Failed(FailureCode.of(json.text("code")), json.text("cause"), json.text("remedy"));
            default -> throw new JsonShapeException("type is not a message of a process");
        };
    }

    private static ArrayNode claims(List<ProcessMessage.Claim> claims) {
        ArrayNode array = Json.array();
        claims.forEach(claim -> array.addObject()
                .put("budget", claim.budget())
                .put("unit", claim.unit())
                .put("amount", claim.amount())
                .put("unpricedTokens", claim.unpricedTokens()));
        return array;
    }

    private static List<ProcessMessage.Claim> claims(JsonMembers json) {
        return json.objects("claims").stream()
                .map(claim -> new ProcessMessage.Claim(
                        claim.text("budget"),
                        claim.text("unit"),
                        claim.number("amount"),
                        claim.optionalNumber("unpricedTokens").orElse(0)))
                .toList();
    }

    private static ProcessMessage.Covers covers(JsonMembers json) {
        return new ProcessMessage.Covers(json.text("once"), json.text("session"), json.optionalText("always"));
    }

    private static Duration duration(JsonMembers json, String name) {
        return Duration.ofNanos(json.number(name));
    }

    private static ObjectNode typed(String type) {
        return Json.object().put("type", type);
    }
}
