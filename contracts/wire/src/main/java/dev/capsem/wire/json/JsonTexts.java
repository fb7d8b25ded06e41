package dev.capsem.wire.json;

import java.util.Map;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Changes all texts of a tree, the names of members included. A number is a text as well, as soon as it changes.
public final class JsonTexts {
    private JsonTexts() {}

    /// @return the very tree if nothing changes
    public static JsonNode changed(JsonNode tree, UnaryOperator<String> change) {
        return isTouched(tree, change) ? copy(tree, change) : tree;
    }

    /// @return the very tree if nothing changes
    public static ObjectNode changed(ObjectNode tree, UnaryOperator<String> change) {
        return isTouched(tree, change) ? copy(tree, change) : tree;
    }

    private static boolean isTouched(JsonNode tree, UnaryOperator<String> change) {
        if (tree instanceof ObjectNode object) {
            for (Map.Entry<String, JsonNode> member : object.properties()) {
                if (isTouched(member.getKey(), change) || isTouched(member.getValue(), change)) {
                    return true;
                }
            }
            return false;
        }
        if (tree instanceof ArrayNode array) {
            for (JsonNode element : array) {
                if (isTouched(element, change)) {
                    return true;
                }
            }
            return false;
        }
        return (tree.isString() || tree.isNumber()) && isTouched(tree.asString(), change);
    }

    private static boolean isTouched(String text, UnaryOperator<String> change) {
        return !change.apply(text).equals(text);
    }

    private static ObjectNode copy(ObjectNode tree, UnaryOperator<String> change) {
        ObjectNode other = Json.object();
        tree.properties().forEach(member -> other.set(change.apply(member.getKey()), copy(member.getValue(), change)));
        return other;
    }

    private static JsonNode copy(JsonNode tree, UnaryOperator<String> change) {
        if (tree instanceof ObjectNode object) {
            return copy(object, change);
        }
        if (tree instanceof ArrayNode array) {
            ArrayNode other = Json.array();
            array.forEach(element -> other.add(copy(element, change)));
            return other;
        }
        boolean isText = tree.isString() || tree.isNumber();
        return isText && isTouched(tree.asString(), change)
                ? JsonNodeFactory.instance.stringNode(change.apply(tree.asString()))
                : tree;
    }
}
