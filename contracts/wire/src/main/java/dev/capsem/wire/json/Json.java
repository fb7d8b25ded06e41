package dev.capsem.wire.json;

import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Text ↔ tree, strictly: one value, no duplicate members, bounded depth. Reading members: [JsonMembers].
public final class Json {
    /// Deeper than any message of ours; a document nested on purpose stops here.
    public static final int DEPTH_MAX = 64;
    /// Larger than the largest base64 of an IPC frame; callers bound the document itself.
    private static final int STRING_LENGTH_MAX = 16 * 1024 * 1024;

    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEPTH_MAX)
                            .maxStringLength(STRING_LENGTH_MAX)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private Json() {}

    /// Throws [JsonShapeException] when the bytes are not exactly one JSON value.
    public static JsonNode parse(byte[] utf8) {
        try {
            return present(MAPPER.readTree(utf8));
        } catch (JacksonException e) {
            throw notJson(e);
        }
    }

    public static JsonNode parse(String text) {
        return parse(text.getBytes(StandardCharsets.UTF_8));
    }

    public static byte[] bytes(JsonNode value) {
        return MAPPER.writeValueAsBytes(value);
    }

    public static String text(JsonNode value) {
        return MAPPER.writeValueAsString(value);
    }

    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    public static ArrayNode array() {
        return JsonNodeFactory.instance.arrayNode();
    }

    private static JsonNode present(JsonNode value) {
        if (value.isMissingNode()) {
            throw new JsonShapeException("not JSON: nothing there");
        }
        return value;
    }

    /// Only the position: Jackson's own message may quote the document.
    private static JsonShapeException notJson(JacksonException e) {
        var at = e.getLocation();
        return new JsonShapeException(
                at == null ? "not JSON" : "not JSON at line " + at.getLineNr() + ", column " + at.getColumnNr());
    }
}
