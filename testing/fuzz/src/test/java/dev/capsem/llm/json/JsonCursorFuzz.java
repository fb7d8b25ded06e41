package dev.capsem.llm.json;

import dev.capsem.fuzz.Property;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.util.List;
import tools.jackson.databind.JsonNode;

/// Whatever is JSON to Jackson is JSON to the cursor, with the same strings; and a value that was read step by step
/// ends where it ends when it is skipped.
public final class JsonCursorFuzz {
    private static final KnownNames NAMES = new KnownNames(List.of("id", "type", "content", "arguments"));

    private JsonCursorFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        JsonCursor skipping = new JsonCursor(NAMES).reset(data, 0, data.length);
        skipping.skip();
        JsonCursor walking = new JsonCursor(NAMES).reset(data, 0, data.length);
        StringBuilder strings = new StringBuilder();
        walk(walking, strings);
        Property.same(skipping.isMalformed(), walking.isMalformed(), "skipped and walked");
        Property.same(skipping.isAtEnd(), walking.isAtEnd(), "the end when skipped and walked");
        JsonNode tree;
        try {
            tree = Json.parse(data);
        } catch (JsonShapeException e) {
            return;
        }
        Property.holds(walking.isAtEnd(), "JSON that the cursor does not know");
        StringBuilder expected = new StringBuilder();
        strings(tree, expected);
        Property.same(strings.toString(), expected.toString(), "strings");
    }

    private static void walk(JsonCursor in, StringBuilder strings) {
        if (in.isObject()) {
            in.enterObject();
            while (in.nextMember()) {
                walk(in, strings);
            }
        } else if (in.isArray()) {
            in.enterArray();
            while (in.nextElement()) {
                walk(in, strings);
            }
        } else if (in.isString()) {
            strings.append(in.string()).append('|');
        } else {
            in.skip();
        }
    }

    private static void strings(JsonNode node, StringBuilder to) {
        if (node.isString()) {
            to.append(node.stringValue()).append('|');
        } else {
            node.values().forEach(child -> strings(child, to));
        }
    }
}
