package dev.capsem.service.rules;

import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEventJson;
import dev.capsem.security.condition.Gaps;
import dev.capsem.telemetry.SessionReader.Evidence;
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
<<<<<<< HEAD
        ObjectNode json = Json.object().put("event_type", type);
        Optional<ObjectNode> subject = switch (type) {
            case "http.request" -> row(evidence, "net_events").map(row -> httpRequest(row, evidence.address()));
            case "http.response" -> row(evidence, "net_events").map(row -> httpResponse(row, evidence.address()));
=======
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
                .flatMap(row -> replayed(evidence, "http.response", RecordedHttp.response(row, evidence.changes())))
                .ifPresent(all::add);
        return all;
    }

    private static Optional<Told> told(Evidence evidence, String type) {
        List<String> changes = evidence.changes();
        return switch (type) {
            case "http.request" -> row(evidence, "net_events").map(row -> RecordedHttp.request(row, changes));
            case "http.response" -> row(evidence, "net_events").map(row -> RecordedHttp.response(row, changes));
>>>>>>> b3729c2 (rules: judge recorded events with all that was recorded of them)
            case "dns.request" -> row(evidence, "dns_events").map(RecordedEvents::dns);
            case "mcp.request" -> row(evidence, "mcp_calls").map(row -> RecordedMcp.request(row, changes));
            case "mcp.response" -> row(evidence, "mcp_calls").map(row -> RecordedMcp.response(row, changes));
            case "model.request" -> row(evidence, "model_calls").map(RecordedModels::request);
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
        return SecurityEventJson.read(json) instanceof SecurityEventJson.Read.Event read
                ? Optional.of(new Replayed(read.event(), told.gaps()))
                : Optional.empty();
    }

    private static Optional<ObjectNode> row(Evidence evidence, String table) {
        return Optional.ofNullable(evidence.rows().get(table));
    }

<<<<<<< HEAD
    private static ObjectNode httpRequest(ObjectNode row, Optional<String> address) {
        ObjectNode out = Json.object();
        ObjectNode request = out.putObject("request");
        String host = row.path("domain").asString();
        request.put("host", host).put("port", row.path("port").asInt(443));
        // As the network engine judged it: a literal's address is known before anything is resolved.
        address.or(() -> Optional.of(host))
                .filter(RecordedEvents::isAddress)
                .ifPresent(known -> request.put("address", known));
        copy(row, "method", request, "method");
        copy(row, "path", request, "path");
        copy(row, "query", request, "query");
        String connection = row.path("conn_type").asString("https").toLowerCase(Locale.ROOT);
        request.put("scheme", connection.startsWith("http") && !connection.startsWith("https") ? "http" : "https");
        request.set("headers", headers(row.path("request_headers").asString("")));
        request.set("body", body(row.path("bytes_sent").asLong(0)));
        return out;
    }

    private static boolean isAddress(String host) {
        try {
            boolean looksLikeOne =
                    host.indexOf(':') >= 0 || host.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
            return looksLikeOne && InetAddress.ofLiteral(host).getAddress().length > 0;
        } catch (IllegalArgumentException notOne) {
            return false;
        }
    }

    private static ObjectNode httpResponse(ObjectNode row, Optional<String> address) {
        ObjectNode out = httpRequest(row, address);
        ObjectNode response =
                out.putObject("response").put("status", row.path("status_code").asInt(0));
        response.set("headers", headers(row.path("response_headers").asString("")));
        response.set("body", body(row.path("bytes_received").asLong(0)));
        return out;
    }

    /// Lines of `name: value`.
    private static ObjectNode headers(String text) {
        ObjectNode headers = Json.object();
        text.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.withArray(line.substring(0, colon).strip())
                        .add(line.substring(colon + 1).strip());
            }
        });
        return headers;
    }

    private static ObjectNode body(long size) {
        return size == 0
                ? Json.object().put("state", "missing")
                : Json.object().put("state", "redacted").put("size", size);
    }

    private static ObjectNode dns(ObjectNode row) {
=======
    private static Told dns(ObjectNode row) {
>>>>>>> b3729c2 (rules: judge recorded events with all that was recorded of them)
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
