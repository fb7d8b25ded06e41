package dev.capsem.process.mcp;

import dev.capsem.mcp.pin.ToolPin;
import dev.capsem.mcp.pin.ToolPins;
import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.aggregator.ServerStatus;
import dev.capsem.wire.json.Json;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Servers and pinned tools as `GET /mcp/tools/{id}` shows them.
final class ToolsJson {
    private ToolsJson() {}

    /// @param own the host's own tools, which nobody need approve
    /// @param troubles why servers that are programs do not work
    static String of(List<ServerStatus> servers, List<CatalogEntry> own, ToolPins pins, ProgramTroubles troubles) {
        ObjectNode json = Json.object();
        ArrayNode listed = json.putArray("servers");
        for (ServerStatus server : servers) {
            ObjectNode status = server.toJson();
            if (server.isStdio() && server.isEnabled()) {
                troubles.addTo(status, server.name(), server.isConnected());
            }
            listed.add(status);
        }
        ArrayNode tools = json.putArray("tools");
        own.forEach(entry -> tools.addObject()
                .put("name", entry.key())
                .put("server_name", entry.server())
                .put("original_name", entry.original())
                .put("description", entry.definition().path("description").asString(""))
                .put("state", "approved")
                .putArray("diff"));
        pins.all().forEach(pin -> tools.add(tool(pin, pins)));
        return Json.text(json);
    }

    private static ObjectNode tool(ToolPin pin, ToolPins pins) {
        ObjectNode tool = Json.object()
                .put("name", pin.key())
                .put("server_name", pin.server())
                .put("original_name", pin.tool())
                .put("description", pin.definition().path("description").asString(""))
                .put("state", pin.state().name().toLowerCase(Locale.ROOT))
                .put("pin_hash", pin.hash())
                .put("first_seen", pin.firstSeen().toString())
                .put("last_seen", pin.lastSeen().toString());
        ArrayNode diff = tool.putArray("diff");
        ToolPins.difference(pin).forEach(diff::add);
        pins.concern(pin.key()).ifPresent(why -> tool.put("reason", why));
        return tool;
    }
}
