package dev.capsem.wire.ipc;

import dev.capsem.wire.SandboxId;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import dev.capsem.wire.json.SandboxSpecJson;
import dev.capsem.wire.service.ExecRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// [ServiceMessage] ↔ JSON. Members are named as the record's components; durations are whole nanoseconds.
final class ServiceMessageJson {
    private ServiceMessageJson() {}

    static ObjectNode write(ServiceMessage message) {
        return switch (message) {
            case ServiceMessage.Hello m ->
                typed("Hello")
                        .put("version", m.version())
                        .put("schemaHash", m.schemaHash())
                        .put("peer", m.peer());
            case ServiceMessage.Assign m -> {
                ObjectNode json =
                        typed("Assign").put("instanceSocket", m.instanceSocket().toString());
                json.set("spec", SandboxSpecJson.write(m.spec()));
                yield json;
            }
            case ServiceMessage.KeepBudgets m -> typed("KeepBudgets");
            case ServiceMessage.BudgetReply m -> budget(m);
            case ServiceMessage.GetStatus m -> typed("GetStatus");
            case ServiceMessage.Exec m -> exec(m);
            case ServiceMessage.Input m -> typed("Input").put("data", m.data());
            case ServiceMessage.InputEnd m -> typed("InputEnd");
            case ServiceMessage.Signal m -> typed("Signal").put("number", m.number());
            case ServiceMessage.Resize m ->
                typed("Resize").put("rows", m.rows()).put("columns", m.columns());
            case ServiceMessage.FileOperation m -> {
                ObjectNode json = typed("FileOperation").put("stdin", m.stdin());
                json.set("argv", array(m.argv()));
                yield json;
            }
            case ServiceMessage.Suspend m -> typed("Suspend");
            case ServiceMessage.Resume m -> typed("Resume");
            case ServiceMessage.HoldStill m -> typed("HoldStill");
            case ServiceMessage.Release m -> typed("Release");
            case ServiceMessage.Relocate m ->
                typed("Relocate")
                        .put("newId", m.newId().value())
                        .put("newSessionDir", m.newSessionDir().toString())
                        .put("newInstanceSocket", m.newInstanceSocket().toString());
            case ServiceMessage.Stop m -> {
                ObjectNode json = typed("Stop").put("grace", m.grace().toNanos());
                m.limit().ifPresent(limit -> json.put("limit", limit));
                yield json;
            }
            case ServiceMessage.Subscribe m -> typed("Subscribe");
            case ServiceMessage.Attend m -> typed("Attend");
            case ServiceMessage.Reply m ->
                typed("Reply")
                        .put("question", m.question())
                        .put("approved", m.approved())
                        .put("scope", m.scope())
                        .put("by", m.by());
            case ServiceMessage.Unwatched m -> typed("Unwatched").put("question", m.question());
            case ServiceMessage.Prepare m -> typed("Prepare").put("question", m.question());
            case ServiceMessage.ReloadConfig m -> typed("ReloadConfig");
            case ServiceMessage.GetMetrics m -> typed("GetMetrics");
            case ServiceMessage.GetRuleStats m -> typed("GetRuleStats");
            case ServiceMessage.GetTools m -> typed("GetTools");
            case ServiceMessage.ApproveTools m -> {
                ObjectNode json = typed("ApproveTools");
                json.set("names", array(m.names()));
                yield json;
            }
        };
    }

    private static ObjectNode budget(ServiceMessage.BudgetReply reply) {
        return switch (reply) {
            case ServiceMessage.BudgetGranted m -> {
                ObjectNode json = typed("BudgetGranted").put("id", m.id());
                m.warning().ifPresent(text -> json.put("warning", text));
                yield json;
            }
            case ServiceMessage.BudgetDenied m -> {
                ObjectNode json = typed("BudgetDenied")
                        .put("id", m.id())
                        .put("reason", m.reason())
                        .put("remedy", m.remedy())
                        .put("asks", m.asks());
                m.budget().ifPresent(name -> json.put("budget", name));
                m.untilMillis().ifPresent(millis -> json.put("untilMillis", millis));
                yield json;
            }
            case ServiceMessage.BudgetNoted m -> typed("BudgetNoted").put("id", m.id());
        };
    }

    static ServiceMessage read(JsonMembers json) {
        return switch (json.text("type")) {
            case "Hello" ->
                new ServiceMessage.Hello(json.integer("version"), json.text("schemaHash"), json.text("peer"));
            case "Assign" ->
                new ServiceMessage.Assign(
                        SandboxSpecJson.read(json.object("spec")), Path.of(json.text("instanceSocket")));
            case "KeepBudgets" -> new ServiceMessage.KeepBudgets();
            case "BudgetGranted" -> new ServiceMessage.BudgetGranted(json.text("id"), json.optionalText("warning"));
            case "BudgetDenied" ->
                new ServiceMessage.BudgetDenied(
                        json.text("id"),
                        json.optionalText("budget"),
                        json.text("reason"),
                        json.text("remedy"),
                        json.flag("asks", false),
                        json.optionalNumber("untilMillis"));
            case "BudgetNoted" -> new ServiceMessage.BudgetNoted(json.text("id"));
            case "GetStatus" -> new ServiceMessage.GetStatus();
            case "Exec" -> exec(json);
            case "Input" -> new ServiceMessage.Input(json.bytes("data"));
            case "InputEnd" -> new ServiceMessage.InputEnd();
            case "Signal" -> new ServiceMessage.Signal(json.integer("number"));
            case "Resize" -> new ServiceMessage.Resize(json.integer("rows"), json.integer("columns"));
            case "FileOperation" -> new ServiceMessage.FileOperation(json.texts("argv"), json.flag("stdin", false));
            case "Suspend" -> new ServiceMessage.Suspend();
            case "Resume" -> new ServiceMessage.Resume();
            case "HoldStill" -> new ServiceMessage.HoldStill();
            case "Release" -> new ServiceMessage.Release();
            case "Relocate" ->
                new ServiceMessage.Relocate(
                        sandboxId(json), Path.of(json.text("newSessionDir")), Path.of(json.text("newInstanceSocket")));
            case "Stop" -> new ServiceMessage.Stop(Duration.ofNanos(json.number("grace")), json.optionalText("limit"));
            case "Subscribe" -> new ServiceMessage.Subscribe();
            case "Attend" -> new ServiceMessage.Attend();
            case "Reply" ->
                new ServiceMessage.Reply(
                        json.text("question"), json.flag("approved", false), json.text("scope"), json.text("by"));
            case "Unwatched" -> new ServiceMessage.Unwatched(json.text("question"));
            case "Prepare" -> new ServiceMessage.Prepare(json.text("question"));
            case "ReloadConfig" -> new ServiceMessage.ReloadConfig();
            case "GetMetrics" -> new ServiceMessage.GetMetrics();
            case "GetRuleStats" -> new ServiceMessage.GetRuleStats();
            case "GetTools" -> new ServiceMessage.GetTools();
            case "ApproveTools" -> new ServiceMessage.ApproveTools(json.texts("names"));
            default -> throw new JsonShapeException("type is not a message of the service");
        };
    }

    private static ObjectNode exec(ServiceMessage.Exec m) {
        ObjectNode json = typed("Exec")
                .put("cwd", m.cwd())
                .put("stdin", m.stdin())
                .put("source", m.source())
                .put("keepBytesMax", m.keepBytesMax());
        ObjectNode command = json.putObject("command");
        switch (m.command()) {
            case ExecRequest.Command.Shell(String line) -> command.put("line", line);
            case ExecRequest.Command.Argv(List<String> words) -> command.set("argv", array(words));
        }
        ObjectNode environment = json.putObject("environment");
        m.environment().forEach(environment::put);
        m.terminal()
                .ifPresent(terminal ->
                        json.putObject("terminal").put("rows", terminal.rows()).put("columns", terminal.columns()));
        m.timeout().ifPresent(timeout -> json.put("timeout", timeout.toNanos()));
        m.traceId().ifPresent(traceId -> json.put("traceId", traceId));
        return json;
    }

    private static ServiceMessage.Exec exec(JsonMembers json) {
        OptionalLong timeout = json.optionalNumber("timeout");
        return new ServiceMessage.Exec(
                command(json.object("command")),
                json.optionalText("cwd").orElse(""),
                json.textMap("environment"),
                json.flag("stdin", false),
                json.optionalObject("terminal")
                        .map(terminal ->
                                new ServiceMessage.Terminal(terminal.integer("rows"), terminal.integer("columns"))),
                timeout.isPresent() ? Optional.of(Duration.ofNanos(timeout.getAsLong())) : Optional.empty(),
                json.optionalText("source").orElse("api"),
                json.optionalText("traceId"),
                json.optionalNumber("keepBytesMax").orElse(0));
    }

    private static ExecRequest.Command command(JsonMembers json) {
        return json.optionalText("line")
                .<ExecRequest.Command>map(ExecRequest.Command.Shell::new)
                .orElseGet(() -> new ExecRequest.Command.Argv(json.texts("argv")));
    }

    private static SandboxId sandboxId(JsonMembers json) {
        String id = json.text("newId");
        if (!SandboxId.isValid(id)) {
            throw json.expected("newId", "a sandbox id");
        }
        return new SandboxId(id);
    }

    private static ArrayNode array(List<String> texts) {
        ArrayNode array = Json.array();
        texts.forEach(array::add);
        return array;
    }

    private static ObjectNode typed(String type) {
        return Json.object().put("type", type);
    }
}
