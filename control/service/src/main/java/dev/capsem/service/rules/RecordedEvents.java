package dev.capsem.service.rules;

import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEventJson;
import dev.capsem.telemetry.SessionReader.Evidence;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Makes events out of what was recorded of them. Bodies were not kept, so rules that read one see that it is not there
/// to be read; what was redacted stays redacted.
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

    private RecordedEvents() {}

    /// Empty for events that no rule judges, or of which too little was kept.
    static Optional<SecurityEvent> event(Evidence evidence) {
        String type = evidence.event().path("event_type").asString();
        ObjectNode json = Json.object().put("event_type", type);
        Optional<ObjectNode> subject = switch (type) {
            case "http.request" -> row(evidence, "net_events").map(row -> httpRequest(row, evidence.address()));
            case "http.response" -> row(evidence, "net_events").map(row -> httpResponse(row, evidence.address()));
            case "dns.request" -> row(evidence, "dns_events").map(RecordedEvents::dns);
            case "mcp.request", "mcp.response" ->
                row(evidence, "mcp_calls").map(found -> mcp(found, type.endsWith("response")));
            case "model.request", "model.response" ->
                row(evidence, "model_calls").map(found -> model(found, type.endsWith("response")));
            case "process.exec" -> row(evidence, "exec_events").map(RecordedEvents::exec);
            case "file.activity" -> row(evidence, "fs_events").map(RecordedEvents::file);
            default -> Optional.empty();
        };
        if (subject.isEmpty()) {
            return Optional.empty();
        }
        json.set(type.substring(0, type.indexOf('.')), subject.get());
        return SecurityEventJson.read(json) instanceof SecurityEventJson.Read.Event event
                ? Optional.of(event.event())
                : Optional.empty();
    }

    private static Optional<ObjectNode> row(Evidence evidence, String table) {
        return Optional.ofNullable(evidence.rows().get(table));
    }

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
        ObjectNode out = Json.object();
        int type = row.path("qtype").asInt();
        out.putObject("request")
                .put("qname", row.path("qname").asString())
                .put("qtype", QUERY_TYPES.getOrDefault(type, "TYPE" + type))
                .put("transport", row.path("source_proto").asString("udp"));
        return out;
    }

    private static ObjectNode mcp(ObjectNode row, boolean isResponse) {
        ObjectNode out = Json.object();
        ObjectNode request = out.putObject("request");
        String server = row.path("server_name").asString();
        request.put("server_name", server).put("method", row.path("method").asString());
        if (row.has("tool_name")) {
            String whole = row.path("tool_name").asString();
            String prefix = server + "__";
            request.put("namespaced_name", whole)
                    .put("tool_name", whole.startsWith(prefix) ? whole.substring(prefix.length()) : whole);
        }
        json(row.path("request_preview").asString("")).ifPresent(arguments -> request.set("arguments", arguments));
        if (isResponse) {
            ObjectNode response = out.putObject("response").put("is_error", row.has("error_message"));
            json(row.path("response_preview").asString("")).ifPresent(content -> response.set("content", content));
        }
        return out;
    }

    private static Optional<JsonNode> json(String preview) {
        try {
            return preview.isBlank()
                    ? Optional.empty()
                    : Optional.of(Json.parse(preview.getBytes(StandardCharsets.UTF_8)));
        } catch (JsonShapeException cutOff) {
            return Optional.empty();
        }
    }

    private static ObjectNode model(ObjectNode row, boolean isResponse) {
        ObjectNode out = Json.object();
        ObjectNode request =
                out.putObject("request").put("provider", row.path("provider").asString());
        copy(row, "model", request, "model");
        request.put("stream", row.path("stream").asInt(0) != 0);
        request.set("body", body(row.path("request_bytes").asLong(0)));
        if (isResponse) {
            ObjectNode response = out.putObject("response");
            copy(row, "model", response, "model");
            copy(row, "stop_reason", response, "stop_reason");
            response.set("body", body(row.path("response_bytes").asLong(0)));
            for (String count : new String[] {"input_tokens", "output_tokens"}) {
                if (row.has(count)) {
                    response.put(count, row.path(count).asLong());
                }
            }
        }
        return out;
    }

    private static ObjectNode exec(ObjectNode row) {
        ObjectNode out = Json.object();
        out.putObject("exec").put("command", row.path("command").asString());
        return out;
    }

    private static ObjectNode file(ObjectNode row) {
        ObjectNode out = Json.object();
        ObjectNode activity = out.putObject("activity")
                .put("operation", row.path("action").asString())
                .put("path", row.path("path").asString());
        if (row.has("size")) {
            activity.put("byte_count", row.path("size").asLong());
        }
        return out;
    }

    private static void copy(ObjectNode from, String name, ObjectNode to, String as) {
        if (from.has(name)) {
            to.put(as, from.path(name).asString());
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
