package dev.capsem.backends.upstream;

import dev.capsem.wire.aggregator.AggregatorReply.Kind;
import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.aggregator.ServerDefinition;
import dev.capsem.wire.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The catalog of one server. Cannot change.
record Catalog(Map<Kind, List<CatalogEntry>> entries) {
    static final Catalog EMPTY = new Catalog(Map.of());

    /// Of each kind; a server that lists more is cut off there.
    static final int ENTRIES_MAX = 5_000;

    private static final int PAGES_MAX = 200;
    /// Of all entries of a kind together.
    private static final int BYTES_MAX = 8 * 1024 * 1024;

    List<CatalogEntry> of(Kind kind) {
        return entries.getOrDefault(kind, List.of());
    }

    Catalog with(Kind kind, List<CatalogEntry> changed) {
        Map<Kind, List<CatalogEntry>> next = new EnumMap<>(Kind.class);
        next.putAll(entries);
        next.put(kind, List.copyOf(changed));
        return new Catalog(next);
    }

    static Catalog fetch(ServerDefinition definition, Session session, Duration timeout)
            throws UpstreamException, InterruptedException {
        Catalog catalog = EMPTY;
        for (Kind kind : Kind.values()) {
            catalog = catalog.with(kind, list(kind, definition, session, timeout));
        }
        return catalog;
    }

    /// All pages; empty if the server has no such thing.
    static List<CatalogEntry> list(Kind kind, ServerDefinition definition, Session session, Duration timeout)
            throws UpstreamException, InterruptedException {
        String capability = kind == Kind.TEMPLATES ? "resources" : kind.member();
        if (!session.offers(capability)) {
            return List.of();
        }
        List<CatalogEntry> found = new ArrayList<>();
        int size = 0;
        Optional<String> cursor = Optional.empty();
        for (int page = 0; page < PAGES_MAX; page++) {
            Optional<ObjectNode> params = cursor.map(value -> Json.object().put("cursor", value));
            ObjectNode result;
            try {
                result = session.request(method(kind), params, OptionalLong.empty(), timeout);
            } catch (UpstreamException e) {
                // Some servers have resources and know nothing of templates.
                if (e.kind() == UpstreamException.Kind.REFUSED) {
                    return found;
                }
                throw e;
            }
            for (JsonNode item : result.path(shownMember(kind))) {
                size += Json.bytes(item).length;
                if (found.size() >= ENTRIES_MAX || size > BYTES_MAX) {
                    return found;
                }
                if (isUsable(kind, item)
                        && (kind != Kind.TOOLS
                                || definition.allows(item.get("name").stringValue()))) {
                    found.add(CatalogEntry.of(kind, definition.name(), (ObjectNode) item));
                }
            }
            cursor = Optional.ofNullable(result.get("nextCursor"))
                    .filter(JsonNode::isString)
                    .map(JsonNode::stringValue);
            if (cursor.isEmpty()) {
                return found;
            }
        }
        return found;
    }

    private static boolean isUsable(Kind kind, JsonNode item) {
        JsonNode key = item.path(CatalogEntry.keyMember(kind));
        return item.isObject() && key.isString() && !key.stringValue().isEmpty();
    }

    private static String method(Kind kind) {
        return switch (kind) {
            case TOOLS -> "tools/list";
            case RESOURCES -> "resources/list";
            case TEMPLATES -> "resources/templates/list";
            case PROMPTS -> "prompts/list";
        };
    }

    private static String shownMember(Kind kind) {
        return kind == Kind.TEMPLATES ? "resourceTemplates" : kind.member();
    }
}
