package dev.capsem.backends.aggregator;

import dev.capsem.wire.aggregator.Namespace;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// The addresses of resources in what a server says: a client can read only what carries the server's name. Always
/// put in front, so that no server can name another one's resource.
final class ResourceLinks {
    private static final String URI = "uri";

    private ResourceLinks() {}

    /// @param message the result of a call, a prompt or a read, or the params of a question to the client
    static ObjectNode namespaced(String server, ObjectNode message) {
        if (holders(message).isEmpty()) {
            return message;
        }
        ObjectNode changed = message.deepCopy();
        holders(changed)
                .forEach(holder ->
                        holder.put(URI, Namespace.uri(server, holder.get(URI).stringValue())));
        return changed;
    }

    /// Members that hold an address by the protocol; other members are the server's own.
    private static List<ObjectNode> holders(ObjectNode message) {
        List<ObjectNode> found = new ArrayList<>();
        message.path("contents").forEach(entry -> addIfAddressed(entry, found));
        collect(message.path("content"), found);
        message.path("messages").forEach(entry -> collect(entry.path("content"), found));
        return found;
    }

    private static void collect(JsonNode content, List<ObjectNode> found) {
        if (content.isArray()) {
            content.forEach(block -> collect(block, found));
            return;
        }
        switch (content.path("type").asString("")) {
            case "resource_link" -> addIfAddressed(content, found);
            case "resource" -> addIfAddressed(content.path("resource"), found);
            case "tool_result" -> collect(content.path("content"), found);
            default -> {
                // Text, images and sounds have no address.
            }
        }
    }

    private static void addIfAddressed(JsonNode node, List<ObjectNode> found) {
        if (node instanceof ObjectNode object
                && object.path(URI).isString()
                && !object.path(URI).stringValue().isEmpty()) {
            found.add(object);
        }
    }
}
