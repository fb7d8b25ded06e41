package dev.capsem.hostmcp.tools;

import static dev.capsem.hostmcp.tools.HostTools.ID;
import static dev.capsem.hostmcp.tools.HostTools.tool;

import dev.capsem.client.SandboxService;
import dev.capsem.client.io.RequestTarget;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.toolserver.Argument;
import dev.capsem.toolserver.ArgumentSchema;
import dev.capsem.toolserver.McpTool;
import dev.capsem.toolserver.McpTool.Hints;
import dev.capsem.toolserver.OutputSchema;
import dev.capsem.toolserver.ToolAnswer;
import dev.capsem.toolserver.ToolCall;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.service.InspectSchema;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Tools on the record: logs, crashes, timelines, SQL.
final class RecordTools {
    private static final List<String> LOGS = List.of("service", "mcp", "gateway", "process", "aggregator", "builtin");
    private static final List<String> LAYERS =
            List.of("exec", "mcp", "net", "dns", "security", "audit", "snapshot", "grant", "fs", "model", "tool");
    private static final List<String> LOG_MEMBERS = List.of("logs", "serial_logs", "process_logs", "security_logs");

    private static final Argument GREP = Argument.optional(
            "grep", Argument.Text.of(1, 256), "Only lines that hold this text, in whatever case; not a pattern.");
    private static final Argument TAIL =
            Argument.optional("tail", Argument.Whole.between(1, 100_000), "Only so many lines from the end.");
    private static final Argument SINCE = Argument.optional(
            "since",
            Argument.Text.of(1, 64),
            "How far back: 30s, 15m, 2h, 1d, or a time such as 2026-01-31T12:00:00Z.");

    private static final String SCHEMA = InspectSchema.sql();

    private final SandboxService host;
    private final String version;

    RecordTools(SandboxService host, String version) {
        this.host = host;
        this.version = version;
    }

    List<McpTool> tools() {
        return List.of(
                sandboxLogs(),
                serviceLogs(),
                hostLogs(),
                panics(),
                triage(),
                timeline(),
                inspectSchema(),
                inspect(),
                version());
    }

    private McpTool sandboxLogs() {
        return tool(
                "capsem_vm_logs",
                "Logs of a sandbox",
                "The logs of one sandbox, also of one that crashed: security_logs (decisions of the rules, one JSON object a"
                        + " line), process_logs (its process on the host), serial_logs (its console)."
                        + " Example: {\"id\": \"calm-otter\", \"tail\": 50}",
                Hints.LOOKS,
                ArgumentSchema.of(ID, GREP, TAIL),
                OutputSchema.object()
                        .has("logs", "string", "The console")
                        .mayHave("serial_logs", "string", "The console")
                        .mayHave("process_logs", "string", "Of its process on the host")
                        .mayHave("security_logs", "string", "Decisions, one JSON object a line"),
                call -> {
                    JsonNode reply =
                            host.get(new RequestTarget("logs", call.arguments().text("id")).toString());
                    LogLines lines = lines(call);
                    ObjectNode picked = Json.object();
                    LOG_MEMBERS.forEach(member -> {
                        if (reply.path(member).isString()) {
                            picked.put(member, lines.of(reply.path(member).stringValue()));
                        }
                    });
                    return Replies.json(picked);
                });
    }

    private McpTool serviceLogs() {
        return tool(
                "capsem_service_logs",
                "Log of the service",
                "The end of capsem-service's log, one JSON object a line."
                        + " Example: {\"grep\": \"capsem-service\", \"tail\": 20}",
                Hints.LOOKS,
                ArgumentSchema.of(GREP, TAIL),
                textOutput(),
                call -> Replies.text(lines(call).of(host.text("/service-logs"))));
    }

    private McpTool hostLogs() {
        return tool(
                "capsem_host_logs",
                "A log of this host",
                "The end of one of our programs' logs, by its name. Example: {\"name\": \"service\", \"tail\": 20}",
                Hints.LOOKS,
                ArgumentSchema.of(
                        Argument.required("name", new Argument.Choice(LOGS), "The program whose log to read."),
                        Argument.optional("grep", Argument.Text.of(1, 256), "Only lines that hold exactly this text."),
                        TAIL,
                        Argument.optional(
                                "maxBytes",
                                Argument.Whole.between(1, 5 * 1_048_576).orElse(102_400),
                                "Read so much from the end.")),
                textOutput(),
                call -> {
                    JsonMembers arguments = call.arguments();
                    return Replies.text(host.text(new RequestTarget("host-logs", arguments.text("name"))
                            .with("grep", arguments.optionalText("grep"))
                            .with("tail", arguments.optionalInteger("tail"))
                            .with("max_bytes", arguments.optionalInteger("maxBytes"))
                            .toString()));
                });
    }

    private McpTool panics() {
        return tool(
                "capsem_panics",
                "Crashes of our programs",
                "Crashes that our programs on this host left in their logs: time, program, thread, message, stack frames."
                        + " Example: {\"since\": \"1d\", \"limit\": 5}",
                Hints.LOOKS,
                ArgumentSchema.of(
                        SINCE,
                        limit(200, 20),
                        Argument.optional("id", Argument.Text.of(0, 64), "Has no effect: crashes are the host's.")),
                OutputSchema.object().has("panics", "array", "Newest last"),
                call -> Replies.json(
                        host.get(ranged(new RequestTarget("panics"), call).toString())));
    }

    private McpTool triage() {
        return tool(
                "capsem_triage",
                "What went wrong",
                "Start here when something failed: recent crashes, errors and slow operations of the host and, with id, what"
                        + " the sandbox was denied and which commands and calls failed. rank names the likeliest causes first."
                        + " Example: {\"id\": \"calm-otter\", \"since\": \"1h\"}",
                Hints.LOOKS,
                ArgumentSchema.of(
                        SINCE,
                        limit(200, 20),
                        Argument.optional("id", Argument.Text.of(1, 64), "Also look into this sandbox.")),
                OutputSchema.object()
                        .has("host", "object", "panics, errors, slow_ops")
                        .has("rank", "array", "The likeliest causes, first first")
                        .mayHave("session", "object", "What the sandbox's record says")
                        .mayHave("since", "string", "From when on"),
                call -> Replies.json(host.get(ranged(new RequestTarget("triage"), call)
                        .with("id", call.arguments().optionalText("id"))
                        .toString())));
    }

    private McpTool timeline() {
        return tool(
                "capsem_timeline",
                "Timeline of a sandbox",
                "What happened in a sandbox, oldest first, over all layers: commands, network, DNS, model calls with tokens and"
                        + " cost, the tools that models asked for, decisions, files. Rows of one cause share a trace_id."
                        + " Example: {\"id\": \"calm-otter\", \"layers\": [\"exec\", \"net\"], \"limit\": 50}",
                Hints.LOOKS,
                ArgumentSchema.of(
                        ID,
                        Argument.optional("traceId", Argument.Text.of(1, 128), "Only what belongs to this trace."),
                        SINCE,
                        limit(2_000, 200),
                        Argument.optional(
                                "layers", new Argument.Texts(LAYERS.size(), LAYERS), "Only these layers; else all.")),
                OutputSchema.object()
                        .has("columns", "array", "Names of the columns")
                        .has("rows", "array", "One array each: timestamp, layer, ref, summary, status, …"),
                call -> {
                    JsonMembers arguments = call.arguments();
                    List<String> layers = arguments.texts("layers");
                    RequestTarget target = ranged(new RequestTarget("timeline", arguments.text("id")), call)
                            .with("trace_id", arguments.optionalText("traceId"))
                            .with(
                                    "layers",
                                    layers.isEmpty() ? Optional.empty() : Optional.of(String.join(",", layers)));
                    JsonNode reply = host.get(target.toString());
                    ToolAnswer answer = Replies.json(reply);
                    return new ToolAnswer(Json.text(reply), answer.structured(), false, Optional.empty());
                });
    }

    private McpTool inspectSchema() {
        return tool(
                "capsem_inspect_schema",
                "Tables for capsem_inspect",
                "The CREATE statements of the database that capsem_inspect asks. Read it before writing SQL. Example: {}",
                Hints.LOOKS,
                ArgumentSchema.of(),
                textOutput(),
                call -> Replies.text(SCHEMA));
    }

    private McpTool inspect() {
        return tool(
                "capsem_inspect",
                "Ask a sandbox's record by SQL",
                "Runs one SELECT, WITH or EXPLAIN on what the sandbox recorded (SQLite, read-only, at most 10 000 rows and 5"
                        + " s); also of a stopped one. The id _main asks the record of all sessions."
                        + " Example: {\"id\": \"calm-otter\", \"sql\": \"SELECT count(*) AS commands FROM exec_events\"}",
                Hints.LOOKS,
                ArgumentSchema.of(
                        ID,
                        Argument.required(
                                "sql",
                                Argument.Text.of(1, 65_536),
                                "One statement; capsem_inspect_schema shows the tables.")),
                OutputSchema.object()
                        .has("columns", "array", "Names of the columns")
                        .has("rows", "array", "One array of values each"),
                call -> {
                    String id = call.arguments().text("id");
                    return Replies.json(host.post(
                            new RequestTarget("inspect", id).toString(),
                            Json.object()
                                    .put("id", id)
                                    .put("sql", call.arguments().text("sql"))));
                });
    }

    private McpTool version() {
        return tool(
                "capsem_version",
                "Versions",
                "The version of this server, and whether capsem-service answers (it is started if it does not run)."
                        + " Example: {}",
                Hints.LOOKS,
                ArgumentSchema.of(),
                OutputSchema.object()
                        .has("mcp_version", "string", "Of this server")
                        .has("service", "string", "connected, or unreachable: and why")
                        .mayHave("service_version", "string", "Of the service"),
                call -> {
                    ObjectNode reply = Json.object().put("mcp_version", version);
                    try {
                        String running = host.get("/version").path("version").asString("");
                        reply.put("service", "connected").put("service_version", running);
                    } catch (ServiceCallException e) {
                        reply.put("service", "unreachable: " + e.error().error());
                    }
                    return Replies.json(reply);
                });
    }

    private static Argument limit(int max, int standard) {
        return Argument.optional("limit", Argument.Whole.between(1, max).orElse(standard), "At most so many entries.");
    }

    private static RequestTarget ranged(RequestTarget target, ToolCall call) {
        return target.with("since", call.arguments().optionalText("since"))
                .with("limit", call.arguments().optionalInteger("limit"));
    }

    private static LogLines lines(ToolCall call) {
        return new LogLines(
                call.arguments().optionalText("grep"), call.arguments().optionalInteger("tail"));
    }

    private static OutputSchema textOutput() {
        return OutputSchema.object().has("text", "string", "The same text");
    }
}
