package dev.capsem.security.schema;

import static dev.capsem.events.vocabulary.EventType.DNS_REQUEST;
import static dev.capsem.events.vocabulary.EventType.FILE_ACTIVITY;
import static dev.capsem.events.vocabulary.EventType.HTTP_REQUEST;
import static dev.capsem.events.vocabulary.EventType.HTTP_RESPONSE;
import static dev.capsem.events.vocabulary.EventType.MCP_REQUEST;
import static dev.capsem.events.vocabulary.EventType.MCP_RESPONSE;
import static dev.capsem.events.vocabulary.EventType.MODEL_REQUEST;
import static dev.capsem.events.vocabulary.EventType.MODEL_RESPONSE;
import static dev.capsem.events.vocabulary.EventType.PROCESS_EXEC;
import static dev.capsem.security.schema.FieldValues.orMissing;
import static dev.capsem.security.schema.FieldValues.root;
import static dev.capsem.security.schema.FieldValues.state;
import static dev.capsem.security.schema.FieldValues.text;
import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.DYN;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;

import com.google.common.collect.ImmutableMap;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.DnsRequest;
import dev.capsem.events.security.SecurityEvent.FileActivity;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityEvent.HttpResponse;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.McpResponse;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.events.vocabulary.EventType;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.StructType;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/// Every path that rules may read. A path is here only if its value can truly be filled.
public final class Schema {
    /// The event types that rules judge, in the order documents list them.
    public static final List<EventType> JUDGED = List.of(
            HTTP_REQUEST,
            HTTP_RESPONSE,
            DNS_REQUEST,
            MCP_REQUEST,
            MCP_RESPONSE,
            MODEL_REQUEST,
            MODEL_RESPONSE,
            PROCESS_EXEC,
            FILE_ACTIVITY);

    private static final Set<EventType> HTTP = Set.of(HTTP_REQUEST, HTTP_RESPONSE);
    private static final Set<EventType> MCP = Set.of(MCP_REQUEST, MCP_RESPONSE);
    private static final CelType STRINGS = ListType.create(STRING);
    private static final String ADDRESS_NAME = "address";
    private static final String ADDRESS_CLASS_NAME = "address_class";

    private static final Schema STANDARD = new Schema();

    /// The fields that say where an HTTP request leads. Only a rule that reads one speaks of such places.
    public static final Set<Field> ADDRESS_FIELDS = Set.of(
            STANDARD.field("http.request." + ADDRESS_NAME).orElseThrow(),
            STANDARD.field("http.request." + ADDRESS_CLASS_NAME).orElseThrow());

    /// The fields that servers may understand differently.
    public static final Set<Field> URL_FIELDS = Set.of(
            STANDARD.field("http.request.path").orElseThrow(),
            STANDARD.field("http.request.path_class").orElseThrow(),
            STANDARD.field("http.request.url").orElseThrow(),
            STANDARD.field("http.request.query").orElseThrow());

    /// The texts that readers may understand differently.
    public static final Set<Field> BODY_FIELDS = Set.of(
            STANDARD.field("http.request.body.text").orElseThrow(),
            STANDARD.field("http.response.body.text").orElseThrow(),
            STANDARD.field("model.request.body.text").orElseThrow());

    private final List<Field> fields = new ArrayList<>();
    private final Map<String, Field> byPath = new LinkedHashMap<>();
    private final Map<String, Group> groups = new TreeMap<>();
    private final Map<String, Function<ZonedDateTime, Object>> times = new HashMap<>();

    private Schema() {
        addCommon();
        addCaller();
        addTime();
        addHttp();
        addDns();
        addMcp();
        new ModelFields(this).add();
        addProcessAndFile();
        addGroup("");
    }

    public static Schema standard() {
        return STANDARD;
    }

    public List<Field> fields() {
        return List.copyOf(fields);
    }

    public int size() {
        return fields.size();
    }

    public Optional<Field> field(String path) {
        return Optional.ofNullable(byPath.get(path));
    }

    /// The group at that path; `""` is the group of all roots.
    public Optional<Group> group(String path) {
        return Optional.ofNullable(groups.get(path));
    }

    public List<Group> groups() {
        return List.copyOf(groups.values());
    }

    /// The types of list elements, which no group names.
    public List<CelType> elementTypes() {
        return ModelFields.ELEMENT_TYPES;
    }

    private void addCommon() {
        Set<EventType> all = Set.copyOf(JUDGED);
        identity("session_id", "The session this happens in.", Attribution::sessionId);
        identity("vm_id", "The sandbox this happens in.", Attribution::sandboxId);
        identity("profile_id", "The profile the session runs under.", Attribution::profileId);
        identity("profile_revision", "Its revision.", Attribution::profileRevision);
        identity(
                "actor",
                "What of the host's acts, such as `mcpServers.github`; missing where the guest does.",
                Attribution::accountingOwner);
        identity("user_id", "The person the session belongs to.", Attribution::userId);
        shown(
                "common.event_type",
                STRING,
                all,
                "Such as `http.request`.",
                e -> e.type().wireName());
        shown(
                "common.enforceability",
                STRING,
                all,
                "`inline_blockable` or `observe_only`.",
                e -> e.envelope().enforceability().wireName());
        shown(
                "common.origin_kind",
                STRING,
                all,
                "`guest_network`, `host_service`, …",
                e -> e.envelope().attribution().originKind().wireName());
    }

    /// Commands and files have no caller: the host asks for the one, and nobody knows who changed the other.
    private void addCaller() {
        Set<EventType> at = Set.of(
                HTTP_REQUEST, HTTP_RESPONSE, DNS_REQUEST, MCP_REQUEST, MCP_RESPONSE, MODEL_REQUEST, MODEL_RESPONSE);
        omittable(
                "caller.name",
                STRING,
                at,
                "Name of the program that connects, such as `git`. The guest can forge it.",
                true,
                e -> orMissing(e.envelope().caller().name()));
        omittable(
                "caller.path",
                STRING,
                at,
                "Path of its executable, such as `/usr/bin/git`. The guest can forge it.",
                true,
                e -> orMissing(e.envelope().caller().path()));
        omittable(
                "caller.script",
                STRING,
                at,
                "Script that it runs, if it is an interpreter, such as `/usr/bin/gemini` of `node`. The guest can forge it.",
                true,
                e -> orMissing(e.envelope().caller().script()));
    }

    private void addTime() {
        time("hour", INT, "Hour of the event, 0 to 23, in the rule's `zone` or UTC.", at -> (long) at.getHour());
        time("minute", INT, "Minute of the event, 0 to 59.", at -> (long) at.getMinute());
        time("weekday", STRING, "`monday` … `sunday`, in the rule's `zone` or UTC.", Schema::weekday);
        time(
                "date",
                STRING,
                "Such as `2026-03-31`, in the rule's `zone` or UTC.",
                at -> at.toLocalDate().toString());
    }

    private static String weekday(ZonedDateTime at) {
        return at.getDayOfWeek().name().toLowerCase(Locale.ROOT);
    }

    private void time(String name, CelType type, String meaning, Function<ZonedDateTime, Object> part) {
        times.put("now." + name, part);
        shown(
                "now." + name,
                type,
                Set.copyOf(JUDGED),
                meaning,
                e -> part.apply(e.envelope().at().atZone(ZoneOffset.UTC)));
    }

    /// How to read a field of the time in any zone; empty for other fields.
    public Optional<Function<ZonedDateTime, Object>> time(Field field) {
        return Optional.ofNullable(times.get(field.path()));
    }

    private void identity(String name, String meaning, Function<Attribution, Optional<String>> part) {
        shown(
                "common." + name,
                STRING,
                Set.copyOf(JUDGED),
                meaning,
                e -> orMissing(part.apply(e.envelope().attribution())));
    }

    private void addHttp() {
        http("method", STRING, "As sent; the usual ones are upper case.", HttpRequest::method);
        http("scheme", STRING, "`https`, `http`, `wss` or `ws`.", HttpRequest::scheme);
        http("host", STRING, "Lower case, no trailing dot, no port.", HttpRequest::host);
        http("port", INT, "Number of the port.", request -> (long) request.port());
        http("path", STRING, "Normalized: `%6f` is `o`, `/a/../b` is `/b`.", HttpRequest::normalizedPath);
        http("path_class", STRING, "The first segment of the path, or `root`.", HttpRequest::pathClass);
        http("url", STRING, "`scheme://host[:port]path[?query]`, without the usual port.", HttpRequest::url);
        http(
                ADDRESS_NAME,
                STRING,
                "What the name leads to; missing until it is resolved.",
                request -> orMissing(request.addressText()));
        http(
                ADDRESS_CLASS_NAME,
                STRING,
                "`public`, `private`, `loopback`, `link_local`, `metadata`, `unspecified` or `reserved`.",
                request -> orMissing(request.addressClass()));
        omittable(
                "http.request.query",
                STRING,
                HTTP,
                "What follows the `?`; `%2D` is `-`.",
                true,
                e -> orMissing(request(e).normalizedQuery()));
        omittable(
                "http.request.bytes",
                INT,
                HTTP,
                "Size of the body.",
                true,
                e -> FieldValues.size(request(e).body()));
        headers("http.request", HTTP, e -> request(e).headers());
        body("http.request.body", HTTP, e -> request(e).body());
        Set<EventType> answered = Set.of(HTTP_RESPONSE);
        shown("http.response.status", INT, answered, "Status code.", e -> (long) ((HttpResponse) e).status());
        omittable(
                "http.response.bytes",
                INT,
                answered,
                "Size of the body.",
                true,
                e -> FieldValues.size(((HttpResponse) e).body()));
        headers("http.response", answered, e -> ((HttpResponse) e).headers());
        body("http.response.body", answered, e -> ((HttpResponse) e).body());
    }

    private void http(String name, CelType type, String meaning, Function<HttpRequest, Object> part) {
        shown("http.request." + name, type, HTTP, meaning, e -> part.apply(request(e)));
    }

    private void headers(String group, Set<EventType> at, Function<SecurityEvent, Headers> part) {
        String meaning = "Lower-case names to lists of values; `header(name)` gives one as text.";
        omittable(
                group + ".headers",
                MapType.create(STRING, STRINGS),
                at,
                meaning,
                false,
                e -> part.apply(e).byName());
    }

    void body(String group, Set<EventType> at, Function<SecurityEvent, Body> part) {
        String states = "`missing`, `text`, `binary`, `too_large` or `redacted`.";
        shown(group + ".state", STRING, at, states, e -> state(part.apply(e)));
        String whole = "All of it, in its declared charset; bytes that are not text show as U+FFFD.";
        omittable(group + ".text", STRING, at, whole, false, e -> text(part.apply(e)));
        String declared = "The media type, as declared.";
        omittable(
                group + ".content_type",
                STRING,
                at,
                declared,
                true,
                e -> orMissing(part.apply(e).contentType()));
        omittable(
                group + ".size", INT, at, "In bytes; 0 if there is none.", true, e -> FieldValues.size(part.apply(e)));
    }

    private void addDns() {
        Set<EventType> at = Set.of(DNS_REQUEST);
        shown("dns.request.qname", STRING, at, "Lower case, no trailing dot.", e -> ((DnsRequest) e).qname());
        shown("dns.request.qtype", STRING, at, "`A`, `AAAA`, `TXT`, … or `TYPE<n>`.", e -> ((DnsRequest) e).qtype());
        shown("dns.request.transport", STRING, at, "`udp` or `tcp`.", e -> ((DnsRequest) e).transport());
        shown(
                "dns.request.domain_class",
                STRING,
                at,
                "`external`, `local`, `address` or `invalid`.",
                e -> ((DnsRequest) e).domainClass());
    }

    private void addMcp() {
        shown("mcp.request.method", STRING, MCP, "JSON-RPC method, such as `tools/call`.", e -> mcp(e).method());
        shown(
                "mcp.request.server_name",
                STRING,
                MCP,
                "`builtin`, `file` or the external server's name.",
                e -> mcp(e).serverName());
        omittable(
                "mcp.request.tool_name",
                STRING,
                MCP,
                "Without the server's prefix.",
                true,
                e -> orMissing(mcp(e).toolName()));
        omittable(
                "mcp.request.namespaced_name",
                STRING,
                MCP,
                "Whole, such as `github__search`.",
                true,
                e -> orMissing(mcp(e).namespacedName()));
        String both = "Structure (`arguments.repo`) and text (`arguments.contains(…)`).";
        omittable("mcp.request.arguments", DYN, MCP, both, false, e -> root(mcp(e).arguments()));
        String compact = "The arguments as compact JSON text.";
        omittable(
                "mcp.request.arguments_text",
                STRING,
                MCP,
                compact,
                false,
                e -> orMissing(mcp(e).arguments().map(JsonDocument::text)));
        shown(
                "mcp.request.arguments_status",
                STRING,
                MCP,
                "`valid_json`, `not_json` or `absent`.",
                e -> mcp(e).argumentsStatus());
        String beside = "`_meta` of the request, as the server gets it. Searches in `arguments` look here as well.";
        omittable("mcp.request.meta", DYN, MCP, beside, false, e -> root(mcp(e).meta()));
        Set<EventType> answered = Set.of(MCP_RESPONSE);
        shown(
                "mcp.response.result_status",
                STRING,
                answered,
                "`ok` or `error`.",
                e -> ((McpResponse) e).resultStatus());
        shown(
                "mcp.response.is_error",
                BOOL,
                answered,
                "True also for results that say `isError`.",
                e -> ((McpResponse) e).isError());
        String result = "The result, as structure and as text.";
        omittable("mcp.response.content", DYN, answered, result, false, e -> root(((McpResponse) e).content()));
    }

    private void addProcessAndFile() {
        Set<EventType> exec = Set.of(PROCESS_EXEC);
        shown("process.exec.command", STRING, exec, "The command line as given.", e -> ((ProcessExec) e).command());
        shown(
                "process.exec.argv",
                STRINGS,
                exec,
                "Its words, if it came as words; else empty.",
                e -> ((ProcessExec) e).argv());
        shown("process.exec.executable", STRING, exec, "The first word.", e -> ((ProcessExec) e).executable());
        String classes = "`shell`, `python`, `javascript`, `rust`, `network` or `other`.";
        shown("process.exec.command_class", STRING, exec, classes, e -> ((ProcessExec) e).commandClass());
        omittable(
                "process.exec.cwd",
                STRING,
                exec,
                "The working directory.",
                true,
                e -> orMissing(((ProcessExec) e).cwd()));
        Set<EventType> file = Set.of(FILE_ACTIVITY);
        shown(
                "file.activity.operation",
                STRING,
                file,
                "`create`, `modify`, `delete`, …",
                e -> ((FileActivity) e).operation());
        shown("file.activity.path", STRING, file, "The path inside the sandbox.", e -> ((FileActivity) e).path());
        String places = "`workspace`, `temporary`, `system`, `absolute` or `relative`.";
        shown("file.activity.path_class", STRING, file, places, e -> ((FileActivity) e).pathClass());
        omittable(
                "file.activity.byte_count",
                INT,
                file,
                "Its size, if known.",
                true,
                e -> orMissing(((FileActivity) e).byteCount()));
    }

    void shown(String path, CelType type, Set<EventType> at, String meaning, Field.Reader reader) {
        add(new Field(fields.size(), path, type, at, false, true, meaning, reader));
    }

    void omittable(
            String path, CelType type, Set<EventType> at, String meaning, boolean showable, Field.Reader reader) {
        add(new Field(fields.size(), path, type, at, true, showable, meaning, reader));
    }

    private void add(Field field) {
        fields.add(field);
        byPath.put(field.path(), field);
    }

    /// Groups follow from the paths: whatever stands before a dot.
    private Group addGroup(String path) {
        String prefix = path.isEmpty() ? "" : path + ".";
        Map<String, CelType> types = new TreeMap<>();
        for (Field field : fields) {
            if (!field.path().startsWith(prefix)) {
                continue;
            }
            String rest = field.path().substring(prefix.length());
            int dot = rest.indexOf('.');
            if (dot < 0) {
                types.put(rest, field.type());
            } else if (!types.containsKey(rest.substring(0, dot))) {
                types.put(
                        rest.substring(0, dot),
                        addGroup(prefix + rest.substring(0, dot)).type());
            }
        }
        Group group = new Group(path, struct("capsem." + (path.isEmpty() ? "roots" : path), types), types.keySet());
        groups.put(path, group);
        return group;
    }

    static StructType struct(String name, Map<String, CelType> types) {
        ImmutableMap<String, CelType> copy = ImmutableMap.copyOf(types);
        return StructType.create(name, copy.keySet(), member -> Optional.ofNullable(copy.get(member)));
    }

    private static HttpRequest request(SecurityEvent event) {
        return event instanceof HttpResponse response ? response.request() : (HttpRequest) event;
    }

    private static McpRequest mcp(SecurityEvent event) {
        return event instanceof McpResponse response ? response.request() : (McpRequest) event;
    }
}
