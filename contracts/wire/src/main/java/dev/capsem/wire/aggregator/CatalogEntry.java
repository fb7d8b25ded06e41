package dev.capsem.wire.aggregator;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A tool, resource, template or prompt of some server.
///
/// On the line it has the protocol's own names (`input_schema`, `mime_type`, `read_only_hint`); members of the server's
/// definition that the protocol does not name travel in `extra`, so that nothing a server says is lost on the way.
///
/// @param key the namespaced name or URI, as the guest calls it
/// @param original the server's own name or URI
/// @param definition as the server gave it, with `original` in it; not to be changed
public record CatalogEntry(
        AggregatorReply.Kind kind, String server, String key, String original, ObjectNode definition) {
    private static final Map<String, String> TOOL_MEMBERS =
            Map.of("description", "description", "inputSchema", "input_schema");
    private static final Map<String, String> RESOURCE_MEMBERS =
            Map.of("name", "name", "description", "description", "mimeType", "mime_type");
    private static final Map<String, String> PROMPT_MEMBERS =
            Map.of("description", "description", "arguments", "arguments");
    private static final Map<String, String> HINTS = Map.of(
            "title", "title",
            "readOnlyHint", "read_only_hint",
            "destructiveHint", "destructive_hint",
            "idempotentHint", "idempotent_hint",
            "openWorldHint", "open_world_hint");

    /// The member by which MCP knows such an entry.
    public static String keyMember(AggregatorReply.Kind kind) {
        return switch (kind) {
            case TOOLS, PROMPTS -> "name";
            case RESOURCES -> "uri";
            case TEMPLATES -> "uriTemplate";
        };
    }

    /// An entry of a server's list. Requires: it has a non-empty name or URI.
    public static CatalogEntry of(AggregatorReply.Kind kind, String server, ObjectNode definition) {
        String original = definition.get(keyMember(kind)).stringValue();
        return new CatalogEntry(kind, server, keyOf(kind, server, original), original, definition);
    }

    /// The definition as the guest sees it: namespaced.
    public ObjectNode shown(String name) {
        ObjectNode shown = definition.deepCopy();
        shown.put(keyMember(kind), name);
        return shown;
    }

    private static String keyOf(AggregatorReply.Kind kind, String server, String original) {
        return switch (kind) {
            case TOOLS, PROMPTS -> Namespace.name(server, original);
            case RESOURCES, TEMPLATES -> Namespace.uri(server, original);
        };
    }

    ObjectNode toJson() {
        ObjectNode json = Json.object();
        json.put(isNamed() ? "namespaced_name" : "namespaced_uri", key);
        json.put(isNamed() ? "original_name" : "original_uri", original);
        json.put("server_name", server);
        ObjectNode extra = Json.object();
        for (Map.Entry<String, JsonNode> member : definition.properties()) {
            String name = member.getKey();
            String ours = members().get(name);
            if (ours != null) {
                json.set(ours, member.getValue());
            } else if (name.equals("annotations") && kind == AggregatorReply.Kind.TOOLS) {
                json.set(name, renamed(member.getValue(), HINTS));
            } else if (!name.equals(keyMember(kind))) {
                extra.set(name, member.getValue());
            }
        }
        if (!extra.isEmpty()) {
            json.set("extra", extra);
        }
        return json;
    }

    static CatalogEntry of(AggregatorReply.Kind kind, JsonMembers json) {
        boolean isNamed = kind == AggregatorReply.Kind.TOOLS || kind == AggregatorReply.Kind.PROMPTS;
        String original = json.text(isNamed ? "original_name" : "original_uri");
        ObjectNode definition = Json.object().put(keyMember(kind), original);
        membersOf(kind).entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(member ->
                        json.node(member.getValue()).ifPresent(value -> definition.set(member.getKey(), value)));
        json.node("annotations")
                .ifPresent(value -> definition.set(
                        "annotations", kind == AggregatorReply.Kind.TOOLS ? renamed(value, inverse(HINTS)) : value));
        json.node("extra")
                .filter(JsonNode::isObject)
                .ifPresent(extra ->
                        extra.properties().forEach(member -> definition.set(member.getKey(), member.getValue())));
        return new CatalogEntry(
                kind,
                json.text("server_name"),
                json.text(isNamed ? "namespaced_name" : "namespaced_uri"),
                original,
                definition);
    }

    /// Throws [JsonShapeException] if one of them is not an entry.
    static List<CatalogEntry> listOf(AggregatorReply.Kind kind, JsonMembers json) {
        return json.objects(kind.member()).stream()
                .map(entry -> of(kind, entry))
                .toList();
    }

    private boolean isNamed() {
        return kind == AggregatorReply.Kind.TOOLS || kind == AggregatorReply.Kind.PROMPTS;
    }

    private Map<String, String> members() {
        return membersOf(kind);
    }

    private static Map<String, String> membersOf(AggregatorReply.Kind kind) {
        return switch (kind) {
            case TOOLS -> TOOL_MEMBERS;
            case RESOURCES, TEMPLATES -> RESOURCE_MEMBERS;
            case PROMPTS -> PROMPT_MEMBERS;
        };
    }

    private static JsonNode renamed(JsonNode value, Map<String, String> names) {
        if (!value.isObject()) {
            return value;
        }
        ObjectNode renamed = Json.object();
        value.properties()
                .forEach(
                        member -> renamed.set(names.getOrDefault(member.getKey(), member.getKey()), member.getValue()));
        return renamed;
    }

    private static Map<String, String> inverse(Map<String, String> names) {
        Map<String, String> inverse = new HashMap<>();
        names.forEach((theirs, ours) -> inverse.put(ours, theirs));
        return inverse;
    }
}
