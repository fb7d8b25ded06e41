package dev.capsem.events.security;

import static dev.capsem.events.security.EventMembers.flag;
import static dev.capsem.events.security.EventMembers.named;
import static dev.capsem.events.security.EventMembers.number;
import static dev.capsem.events.security.EventMembers.optionalNumber;
import static dev.capsem.events.security.EventMembers.put;
import static dev.capsem.events.security.EventMembers.required;
import static dev.capsem.events.security.EventMembers.strings;
import static dev.capsem.events.security.EventMembers.text;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.ClaimedCaller;
import dev.capsem.events.security.SecurityEvent.DnsRequest;
import dev.capsem.events.security.SecurityEvent.FileActivity;
import dev.capsem.events.security.SecurityEvent.HostActivity;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityEvent.HttpResponse;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.McpResponse;
import dev.capsem.events.security.SecurityEvent.ModelRequest;
import dev.capsem.events.security.SecurityEvent.ModelResponse;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.events.security.SecurityEvent.ToolCall;
import dev.capsem.events.security.SecurityEvent.ToolResult;
import dev.capsem.events.vocabulary.AttributionScope;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.Enforceability;
import dev.capsem.events.vocabulary.EventFamily;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.OriginKind;
import dev.capsem.events.vocabulary.RedactionState;
import dev.capsem.events.vocabulary.SpanId;
import dev.capsem.events.vocabulary.Timestamps;
import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.events.vocabulary.WireNamed;
import java.net.InetAddress;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// The JSON form of a security event. Below the family's name it has the very paths that rules use, so what a rule
/// reads as `http.request.host` is there under `http`, `request`, `host`. Reading fills in what people leave out
/// when they write an event by hand (`GET`, `https`, `/`), and ignores members it does not know.
public final class SecurityEventJson {
    public static final int SCHEMA_VERSION = 1;

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    /// The result of reading.
    public sealed interface Read {
        record Event(SecurityEvent event) implements Read {}

        /// @param reason names the member at fault, never its value
        record Malformed(String reason) implements Read {}
    }

    private SecurityEventJson() {}

    public static Read read(String json) {
        try {
            return read(MAPPER.readTree(json));
        } catch (JacksonException malformed) {
            return new Read.Malformed("not JSON");
        }
    }

    public static Read read(JsonNode json) {
        try {
            if (json.path("schema_version").asInt(SCHEMA_VERSION) != SCHEMA_VERSION) {
                return new Read.Malformed("schema_version is not " + SCHEMA_VERSION);
            }
            Optional<EventType> type =
                    WireNamed.parse(EventType.class, json.path("event_type").asString(""));
            if (type.isEmpty()) {
                return new Read.Malformed("event_type is missing or unknown");
            }
            Envelope envelope = envelope(json.path("common")).withCaller(caller(json.path("caller")));
            return new Read.Event(subject(type.get(), envelope, json));
        } catch (IllegalArgumentException | DateTimeParseException invalid) {
            return new Read.Malformed(String.valueOf(invalid.getMessage()));
        }
    }

    public static String write(SecurityEvent event) {
        return tree(event).toString();
    }

    public static ObjectNode tree(SecurityEvent event) {
        ObjectNode out = NODES.objectNode();
        out.put("schema_version", SCHEMA_VERSION);
        out.put("event_type", event.type().wireName());
        out.set("common", common(event));
        ClaimedCaller caller = event.envelope().caller();
        if (!caller.equals(ClaimedCaller.UNKNOWN)) {
            ObjectNode claimed = out.putObject("caller");
            put(claimed, "name", caller.name());
            put(claimed, "path", caller.path());
            put(claimed, "script", caller.script());
        }
        out.set(event.family().wireName(), subject(event));
        return out;
    }

    /// The part that says what the event is about, without ids and times: equal for equal evidence.
    public static ObjectNode subject(SecurityEvent event) {
        ObjectNode out = NODES.objectNode();
        switch (event) {
            case HttpRequest request -> out.set("request", http(request));
            case HttpResponse response -> {
                out.set("request", http(response.request()));
                ObjectNode node = out.putObject("response");
                node.put("status", response.status());
                node.set("headers", headers(response.headers()));
                node.set("body", body(response.body()));
            }
            case DnsRequest request ->
                out.putObject("request")
                        .put("qname", request.qname())
                        .put("qtype", request.qtype())
                        .put("transport", request.transport());
            case McpRequest request -> out.set("request", mcp(request));
            case McpResponse response -> {
                out.set("request", mcp(response.request()));
                ObjectNode node = out.putObject("response").put("is_error", response.isError());
                response.content().ifPresent(content -> node.set("content", json(content)));
            }
            case ModelRequest request -> out.set("request", model(request));
            case ModelResponse response -> {
                out.set("request", model(response.request()));
                out.set("response", model(response));
            }
            case ProcessExec exec -> {
                ObjectNode node = out.putObject("exec").put("command", exec.command());
                ArrayNode words = node.putArray("argv");
                exec.argv().forEach(words::add);
                exec.cwd().ifPresent(cwd -> node.put("cwd", cwd));
            }
            case FileActivity activity -> {
                ObjectNode node = out.putObject("activity")
                        .put("operation", activity.operation())
                        .put("path", activity.path());
                activity.byteCount().ifPresent(count -> node.put("byte_count", count));
            }
            case HostActivity activity -> {
                ObjectNode node = out.putObject("activity").put("operation", activity.operation());
                activity.subjectId().ifPresent(id -> node.put(idName(activity.family()), id));
            }
        }
        return out;
    }

    private static SecurityEvent subject(EventType type, Envelope envelope, JsonNode json) {
        JsonNode family = json.path(type.family().wireName());
        JsonNode request = family.path("request");
        JsonNode response = family.path("response");
        return switch (type) {
            case HTTP_REQUEST -> http(envelope, request);
            case HTTP_RESPONSE ->
                new HttpResponse(
                        envelope,
                        http(envelope, request),
                        number(response, "status", 200),
                        headers(response.path("headers")),
                        body(response.path("body")));
            case DNS_REQUEST ->
                new DnsRequest(
                        envelope,
                        required(request, "qname"),
                        text(request, "qtype").orElse("A"),
                        text(request, "transport").orElse("udp"));
            case MCP_REQUEST -> mcp(envelope, request);
            case MCP_RESPONSE ->
                new McpResponse(
                        envelope,
                        mcp(envelope, request),
                        flag(response, "is_error"),
                        Optional.of(response.path("content"))
                                .filter(node -> !node.isMissingNode())
                                .map(JsonDocument::of));
            case MODEL_REQUEST -> model(envelope, request);
            case MODEL_RESPONSE -> model(envelope, request, response);
            case PROCESS_EXEC -> {
                JsonNode exec = family.path("exec");
                List<String> argv = strings(exec.path("argv"), "argv");
                yield new ProcessExec(
                        envelope, text(exec, "command").orElse(String.join(" ", argv)), argv, text(exec, "cwd"));
            }
            case FILE_ACTIVITY -> {
                JsonNode activity = family.path("activity");
                yield new FileActivity(
                        envelope,
                        text(activity, "operation").orElse("modify"),
                        required(activity, "path"),
                        optionalNumber(activity, "byte_count"));
            }
            case CREDENTIAL_REQUEST,
                    CREDENTIAL_ACTIVITY,
                    SANDBOX_CREATE,
                    SANDBOX_START,
                    SANDBOX_STOP,
                    PROFILE_UPDATE,
                    CONVERSATION_MESSAGE,
                    SNAPSHOT_CREATE,
                    SNAPSHOT_RESTORE -> {
                JsonNode activity = family.path("activity");
                yield new HostActivity(
                        envelope, type, required(activity, "operation"), text(activity, idName(type.family())));
            }
            case MODEL_TOOL_CALL, MODEL_TOOL_RESPONSE, FILE_READ, FILE_WRITE, PROCESS_EXEC_COMPLETE, PROCESS_AUDIT ->
                throw new IllegalArgumentException(type.wireName() + " events are not judged");
        };
    }

    private static ObjectNode common(SecurityEvent event) {
        Envelope envelope = event.envelope();
        Attribution attribution = envelope.attribution();
        Correlation correlation = envelope.correlation();
        ObjectNode out = NODES.objectNode();
        out.put("event_id", envelope.id().value());
        out.put("timestamp", Timestamps.text(envelope.at()));
        out.put("source_engine", event.sourceEngine().wireName());
        out.put("enforceability", envelope.enforceability().wireName());
        out.put("redaction_state", envelope.redactionState().wireName());
        out.put("attribution_scope", attribution.scope().wireName());
        out.put("origin_kind", attribution.originKind().wireName());
        put(out, "accounting_owner", attribution.accountingOwner());
        put(out, "vm_id", attribution.sandboxId());
        put(out, "session_id", attribution.sessionId());
        put(out, "profile_id", attribution.profileId());
        put(out, "profile_revision", attribution.profileRevision());
        put(out, "user_id", attribution.userId());
        put(out, "trace_id", correlation.traceId().map(TraceId::value));
        put(out, "span_id", correlation.spanId().map(SpanId::value));
        put(out, "parent_event_id", correlation.parentEventId().map(EventId::value));
        put(out, "stream_id", correlation.streamId());
        put(out, "activity_id", correlation.activityId());
        correlation.sequenceNo().ifPresent(number -> out.put("sequence_no", number));
        correlation.execId().ifPresent(number -> out.put("exec_id", number));
        put(out, "turn_id", correlation.turnId());
        put(out, "message_id", correlation.messageId());
        put(out, "tool_call_id", correlation.toolCallId());
        put(out, "mcp_call_id", correlation.mcpCallId());
        return out;
    }

    private static Envelope envelope(JsonNode common) {
        Attribution attribution = new Attribution(
                named(AttributionScope.class, common, "attribution_scope", AttributionScope.UNKNOWN),
                named(OriginKind.class, common, "origin_kind", OriginKind.TEST_FIXTURE),
                text(common, "accounting_owner").or(() -> text(common, "actor")),
                text(common, "vm_id"),
                text(common, "session_id"),
                text(common, "profile_id"),
                text(common, "profile_revision"),
                text(common, "user_id"));
        Correlation correlation = new Correlation(
                text(common, "trace_id").map(TraceId::new),
                text(common, "span_id").map(SpanId::new),
                text(common, "parent_event_id").map(EventId::new),
                text(common, "stream_id"),
                text(common, "activity_id"),
                optionalNumber(common, "sequence_no"),
                optionalNumber(common, "exec_id"),
                text(common, "turn_id"),
                text(common, "message_id"),
                text(common, "tool_call_id"),
                text(common, "mcp_call_id"));
        return new Envelope(
                new EventId(text(common, "event_id").orElse("by-hand")),
                text(common, "timestamp").map(Instant::parse).orElse(Instant.EPOCH),
                attribution,
                correlation,
                named(Enforceability.class, common, "enforceability", Enforceability.INLINE_BLOCKABLE),
                named(RedactionState.class, common, "redaction_state", RedactionState.RAW));
    }

    private static ClaimedCaller caller(JsonNode json) {
        return new ClaimedCaller(text(json, "name"), text(json, "path"), text(json, "script"));
    }

    private static ObjectNode http(HttpRequest request) {
        ObjectNode out = NODES.objectNode();
        out.put("method", request.method());
        out.put("scheme", request.scheme());
        out.put("host", request.host());
        out.put("port", request.port());
        out.put("path", request.path());
        put(out, "query", request.query());
        put(out, "address", request.addressText());
        out.set("headers", headers(request.headers()));
        out.set("body", body(request.body()));
        return out;
    }

    private static HttpRequest http(Envelope envelope, JsonNode request) {
        String scheme = text(request, "scheme").orElse("https");
        return new HttpRequest(
                envelope,
                text(request, "method").orElse("GET"),
                scheme,
                required(request, "host"),
                number(request, "port", scheme.equals("http") || scheme.equals("ws") ? 80 : 443),
                text(request, "path").orElse("/"),
                text(request, "query"),
                headers(request.path("headers")),
                body(request.path("body")),
                text(request, "address").map(InetAddress::ofLiteral));
    }

    private static ObjectNode mcp(McpRequest request) {
        ObjectNode out = NODES.objectNode();
        out.put("method", request.method());
        out.put("server_name", request.serverName());
        put(out, "tool_name", request.toolName());
        put(out, "namespaced_name", request.namespacedName());
        request.arguments().ifPresent(arguments -> out.set("arguments", json(arguments)));
        out.put("arguments_status", request.argumentsStatus());
        request.meta().ifPresent(meta -> out.set("meta", json(meta)));
        return out;
    }

    private static McpRequest mcp(Envelope envelope, JsonNode request) {
        Optional<JsonDocument> arguments = document(request, "arguments");
        return new McpRequest(
                envelope,
                text(request, "method").orElse("tools/call"),
                required(request, "server_name"),
                text(request, "tool_name"),
                text(request, "namespaced_name"),
                arguments,
                text(request, "arguments_status").orElse(arguments.isPresent() ? "valid_json" : "absent"),
                document(request, "meta"));
    }

    private static Optional<JsonDocument> document(JsonNode object, String member) {
        return Optional.of(object.path(member))
                .filter(node -> !node.isMissingNode())
                .map(JsonDocument::of);
    }

    private static ObjectNode model(ModelRequest request) {
        ObjectNode out = NODES.objectNode();
        out.put("provider", request.provider());
        out.put("api_family", request.apiFamily());
        put(out, "model", request.model());
        out.put("stream", request.isStream());
        if (request.isAmbiguous()) {
            out.put("ambiguous", true);
        }
        out.set("body", body(request.body()));
        ArrayNode results = out.putArray("tool_results");
        for (ToolResult result : request.toolResults()) {
            results.addObject()
                    .put("tool_call_id", result.toolCallId())
                    .put("content", result.content())
                    .put("is_error", result.isError());
        }
        return out;
    }

    private static ModelRequest model(Envelope envelope, JsonNode request) {
        List<ToolResult> results = new ArrayList<>();
        for (JsonNode result : request.path("tool_results")) {
            results.add(new ToolResult(
                    text(result, "tool_call_id").orElse(""),
                    text(result, "content").orElse(""),
                    flag(result, "is_error")));
        }
        return new ModelRequest(
                envelope,
                required(request, "provider"),
                text(request, "api_family").orElse("unknown"),
                text(request, "model"),
                flag(request, "stream"),
                body(request.path("body")),
                results,
                flag(request, "ambiguous"));
    }

    private static ObjectNode model(ModelResponse response) {
        ObjectNode out = NODES.objectNode();
        put(out, "model", response.model());
        put(out, "stop_reason", response.stopReason());
        out.set("body", body(response.body()));
        ArrayNode calls = out.putArray("tool_calls");
        for (ToolCall call : response.toolCalls()) {
            ObjectNode node = calls.addObject()
                    .put("tool_call_id", call.toolCallId())
                    .put("name", call.name())
                    .put("origin", call.origin());
            call.arguments().ifPresent(arguments -> node.set("arguments", json(arguments)));
        }
        response.inputTokens().ifPresent(count -> out.put("input_tokens", count));
        response.outputTokens().ifPresent(count -> out.put("output_tokens", count));
        return out;
    }

    private static ModelResponse model(Envelope envelope, JsonNode request, JsonNode response) {
        List<ToolCall> calls = new ArrayList<>();
        for (JsonNode call : response.path("tool_calls")) {
            calls.add(new ToolCall(
                    text(call, "tool_call_id").orElse(""),
                    required(call, "name"),
                    text(call, "origin").orElse("native"),
                    Optional.of(call.path("arguments"))
                            .filter(node -> !node.isMissingNode())
                            .map(JsonDocument::of)));
        }
        return new ModelResponse(
                envelope,
                model(envelope, request),
                text(response, "model"),
                text(response, "stop_reason"),
                body(response.path("body")),
                calls,
                optionalNumber(response, "input_tokens"),
                optionalNumber(response, "output_tokens"));
    }

    private static ObjectNode headers(Headers headers) {
        ObjectNode out = NODES.objectNode();
        headers.byName().forEach((name, values) -> values.forEach(out.putArray(name)::add));
        return out;
    }

    /// A value alone stands for a list of one.
    private static Headers headers(JsonNode json) {
        List<Headers.Field> fields = new ArrayList<>();
        json.properties().forEach(header -> {
            if (header.getValue().isString()) {
                fields.add(new Headers.Field(header.getKey(), header.getValue().stringValue()));
            } else {
                strings(header.getValue(), "headers")
                        .forEach(value -> fields.add(new Headers.Field(header.getKey(), value)));
            }
        });
        return Headers.of(fields);
    }

    private static ObjectNode body(Body body) {
        ObjectNode out = NODES.objectNode().put("state", body.state());
        put(out, "content_type", body.contentType());
        switch (body) {
            case Body.Text text -> out.put("size", text.size()).put("text", text.text());
            case Body.TooLarge large -> large.size().ifPresent(size -> out.put("size", size));
            case Body.Redacted redacted -> redacted.size().ifPresent(size -> out.put("size", size));
            case Body.Absent _, Body.Unread _ -> {}
        }
        return out;
    }

    /// A string alone stands for a body with that text.
    private static Body body(JsonNode json) {
        if (json.isMissingNode()) {
            return Body.NONE;
        }
        if (json.isString()) {
            return Body.of(json.stringValue());
        }
        Optional<String> contentType = text(json, "content_type");
        OptionalLong size = optionalNumber(json, "size");
        String state = text(json, "state").orElse(json.has("text") ? "text" : "missing");
        return switch (state) {
            case "missing" -> Body.NONE;
            case "text", "binary" -> {
                String text = required(json, "text");
                yield new Body.Text(text, state.equals("binary"), size.orElse(text.length()), contentType);
            }
            case "too_large" -> new Body.TooLarge(size, contentType);
            case "unread" -> new Body.Unread(contentType);
            case "redacted" -> new Body.Redacted(size, contentType);
            default -> throw new IllegalArgumentException("body.state is unknown");
        };
    }

    private static JsonNode json(JsonDocument document) {
        return MAPPER.readTree(document.text());
    }

    private static String idName(EventFamily family) {
        return family.wireName() + "_id";
    }
}
