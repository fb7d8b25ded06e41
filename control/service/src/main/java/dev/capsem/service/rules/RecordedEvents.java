package dev.capsem.service.rules;

import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEventJson;
import dev.capsem.security.condition.Gaps;
import dev.capsem.telemetry.read.SessionReader.Evidence;
import dev.capsem.wire.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Makes events out of what was recorded of them. What was masked, cut off or changed by a rule is a gap: a rule that
/// reads it gets no answer rather than a wrong one.
final class RecordedEvents {
    private static final Map<Integer, String> QUERY_TYPES = Map.ofEntries(
            Map.entry(1, "A"),
            Map.entry(2, "NS"),
            Map.entry(5, "CNAME"),
            Map.entry(6, "SOA"),
            Map.entry(12, "PTR"),
            Map.entry(15, "MX"),
            Map.entry(16, "TXT"),
            Map.entry(28, "AAAA"),
            Map.entry(33, "SRV"),
            Map.entry(64, "SVCB"),
            Map.entry(65, "HTTPS"),
            Map.entry(255, "ANY"));

    /// Columns of security_events that are members of `common` under the same name.
    private static final Set<String> COMMON = Set.of(
            "event_id",
            "timestamp",
            "enforceability",
            "attribution_scope",
            "origin_kind",
            "accounting_owner",
            "vm_id",
            "session_id",
            "profile_id",
            "profile_revision",
            "user_id",
            "trace_id");

    /// What rules call it when a row says that it happened.
    private static final Map<String, String> OPERATIONS =
            Map.of("created", "create", "modified", "modify", "deleted", "delete", "restored", "restore");

    /// Those whose rows say who connected.
    private static final List<String> CALLER_TABLES = List.of("net_events", "dns_events", "mcp_calls", "model_calls");

    /// An event as it can be judged again.
    record Replayed(SecurityEvent event, Gaps gaps) {}

    /// What a row says of an event: the JSON form of its family, and what is missing from it.
    record Told(ObjectNode subject, Gaps gaps) {
        static Told wholly(ObjectNode subject) {
            return new Told(subject, Gaps.NONE);
        }
    }

    private RecordedEvents() {}

    /// Empty for events that no rule judges, or of which too little was kept.
    static Optional<SecurityEvent> event(Evidence evidence) {
        return replay(evidence).map(Replayed::event);
    }

    /// The same, with what is not known of it.
    static Optional<Replayed> replay(Evidence evidence) {
        String type = evidence.event().path("event_type").asString();
        return told(evidence, type).flatMap(told -> replayed(evidence, type, told));
    }

    /// Every event that the record tells of: one for each file of a look at the workspace, and the answer to an HTTP
    /// request also where no event of its own was kept.
    static List<Replayed> all(Evidence evidence) {
        String type = evidence.event().path("event_type").asString();
        List<Replayed> all = new ArrayList<>();
        if (evidence.files().isEmpty()) {
            replay(evidence).ifPresent(all::add);
        } else {
            evidence.files().forEach(row -> replayed(evidence, type, file(row)).ifPresent(all::add));
        }
        row(evidence, "net_events")
                .filter(row -> type.equals("http.request") && !evidence.isAnswered())
                .filter(row -> row.path("decision").asString().equals("allowed") && row.has("status_code"))
                .flatMap(row -> replayed(evidence, "http.response", RecordedHttp.response(row, evidence)))
                .ifPresent(all::add);
        return all;
    }

    private static Optional<Told> told(Evidence evidence, String type) {
        List<String> changes = evidence.changes();
        return switch (type) {
            case "http.request" -> row(evidence, "net_events").map(row -> RecordedHttp.request(row, evidence));
            case "http.response" -> row(evidence, "net_events").map(row -> RecordedHttp.response(row, evidence));
            case "dns.request" -> row(evidence, "dns_events").map(RecordedEvents::dns);
            case "mcp.request" -> row(evidence, "mcp_calls").map(row -> RecordedMcp.request(row, changes));
            case "mcp.response" -> row(evidence, "mcp_calls").map(row -> RecordedMcp.response(row, changes));
            case "model.request" ->
                row(evidence, "model_calls")
                        .map(RecordedModels::request)
                        .or(() -> row(evidence, "net_events").flatMap(row -> RecordedModels.blocked(row, evidence)));
            case "model.response" -> row(evidence, "model_calls").map(RecordedModels::response);
            case "process.exec" -> row(evidence, "exec_events").map(RecordedEvents::exec);
            case "file.activity" -> row(evidence, "fs_events").map(RecordedEvents::file);
            default -> Optional.empty();
        };
    }

    private static Optional<Replayed> replayed(Evidence evidence, String type, Told told) {
        ObjectNode json = Json.object().put("event_type", type);
        ObjectNode common = json.putObject("common");
        COMMON.forEach(name -> copy(evidence.event(), name, common, name));
        json.set(type.substring(0, type.indexOf('.')), told.subject());
        Optional<String> caller = CALLER_TABLES.stream()
                .flatMap(table -> row(evidence, table).stream())
                .flatMap(row -> row.path("process_name").asStringOpt().stream())
                .findFirst();
        ObjectNode calling = Json.object();
        caller.ifPresent(name -> calling.put("name", name));
        copy(evidence.event(), "caller_path", calling, "path");
        copy(evidence.event(), "caller_script", calling, "script");
        if (!calling.isEmpty()) {
            json.set("caller", calling);
        }
        // Records of before have neither a subject nor the paths.
        boolean isPathKept = evidence.event().has("subject") || caller.isEmpty();
        Gaps gaps = isPathKept ? told.gaps() : told.gaps().with(List.of("caller.path", "caller.script"));
        return SecurityEventJson.read(json) instanceof SecurityEventJson.Read.Event read
                ? Optional.of(new Replayed(read.event(), gaps))
                : Optional.empty();
    }

    private static Optional<ObjectNode> row(Evidence evidence, String table) {
        return Optional.ofNullable(evidence.rows().get(table));
    }

    private static Told dns(ObjectNode row) {
        ObjectNode out = Json.object();
        int type = row.path("qtype").asInt();
        out.putObject("request")
                .put("qname", row.path("qname").asString())
                .put("qtype", QUERY_TYPES.getOrDefault(type, "TYPE" + type))
                .put("transport", row.path("source_proto").asString("udp"));
        return Told.wholly(out);
    }

    /// Whether it came as words, and where it was to run, is not kept.
    private static Told exec(ObjectNode row) {
        ObjectNode out = Json.object();
        out.putObject("exec").put("command", row.path("command").asString());
        return new Told(out, Gaps.at(List.of("process.exec.argv", "process.exec.cwd")));
    }

    private static Told file(ObjectNode row) {
        ObjectNode out = Json.object();
        ObjectNode activity = out.putObject("activity")
                .put("operation", OPERATIONS.getOrDefault(row.path("action").asString(), "modify"))
                .put("path", row.path("path").asString());
        if (row.has("size")) {
            activity.put("byte_count", row.path("size").asLong());
        }
        return Told.wholly(out);
    }

    static void copy(ObjectNode from, String name, ObjectNode to, String as) {
        JsonNode value = from.path(name);
        if (value.isString()) {
            to.put(as, value.stringValue());
        }
    }

    /// One line for people.
    static String subject(SecurityEvent event) {
        return switch (event) {
            case SecurityEvent.HttpRequest request -> request.method() + " " + request.url();
            case SecurityEvent.HttpResponse response ->
                response.status() + " of " + response.request().method() + " "
                        + response.request().url();
            case SecurityEvent.DnsRequest request -> request.qname() + " " + request.qtype();
            case SecurityEvent.McpRequest request -> mcp(request);
            case SecurityEvent.McpResponse response -> "answer of " + mcp(response.request());
            case SecurityEvent.ModelRequest request -> model(request);
            case SecurityEvent.ModelResponse response -> "answer of " + model(response.request());
            case SecurityEvent.ProcessExec exec ->
                exec.command().isBlank() ? String.join(" ", exec.argv()) : exec.command();
            case SecurityEvent.FileActivity activity -> activity.operation() + " " + activity.path();
            case SecurityEvent.HostActivity activity -> activity.operation();
        };
    }

    private static String mcp(SecurityEvent.McpRequest request) {
        return request.method() + " " + request.serverName()
                + request.toolName().map(tool -> "/" + tool).orElse("");
    }

    private static String model(SecurityEvent.ModelRequest request) {
        return request.provider() + request.model().map(model -> "/" + model).orElse("");
    }
}
