package dev.capsem.service.records;

import dev.capsem.wire.json.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Cost reports of many sandboxes as one: rows with the same key are added up. A sum with an unknown cost in it
/// is unknown.
public final class CostSum {
    private static final List<String> COUNTS = List.of(
            "calls",
            "input_tokens",
            "output_tokens",
            "cache_read_tokens",
            "cache_write_tokens",
            "thinking_tokens",
            "unknown_calls",
            "duration_ms");

    private final Map<String, ObjectNode> rows = new LinkedHashMap<>();
    private final ObjectNode total = empty();

    /// A row of a report, or its total. One without calls is left out.
    public void add(String key, JsonNode sums) {
        if (sums.path("calls").asLong(0) > 0) {
            add(rows.computeIfAbsent(key, name -> empty().put("key", name)), sums);
            add(total, sums);
        }
    }

    /// `rows`, in the order in which they came, and `total`.
    public ObjectNode report() {
        ObjectNode report = Json.object();
        report.putArray("rows").addAll(rows.values());
        report.set("total", total);
        return report;
    }

    private static ObjectNode empty() {
        ObjectNode sums = Json.object();
        COUNTS.forEach(name -> sums.put(name, 0L));
        return sums.put("cost_usd", 0.0).put("known_cost_usd", 0.0);
    }

    private static void add(ObjectNode to, JsonNode sums) {
        COUNTS.forEach(
                name -> to.put(name, to.path(name).asLong(0) + sums.path(name).asLong(0)));
        double known = to.path("known_cost_usd").asDouble(0)
                + sums.path("known_cost_usd").asDouble(0);
        to.put("known_cost_usd", known);
        if (to.path("unknown_calls").asLong(0) > 0) {
            to.putNull("cost_usd");
        } else {
            to.put("cost_usd", known);
        }
    }
}
