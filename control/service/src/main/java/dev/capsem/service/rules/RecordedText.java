package dev.capsem.service.rules;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Tells texts that the record has whole from those that were masked or cut.
final class RecordedText {
    /// The mask of a secret in the record.
    private static final String MASK = "***";

    private RecordedText() {}

    static boolean isMasked(String text) {
        return text.contains(MASK);
    }

    /// Empty if it was masked, or cut so that it is no JSON any more.
    static Optional<JsonNode> json(String preview) {
        try {
            return preview.isBlank() || isMasked(preview)
                    ? Optional.empty()
                    : Optional.of(Json.parse(preview.getBytes(StandardCharsets.UTF_8)));
        } catch (JsonShapeException cutOff) {
            return Optional.empty();
        }
    }

    /// A body as rules see it: all of it if the preview is all of it.
    ///
    /// @param size in bytes, as it went over the wire
    /// @param isCoded whether a content coding makes that size another one
    static ObjectNode body(String preview, long size, boolean isCoded, Optional<String> contentType) {
        ObjectNode body = Json.object();
        contentType.ifPresent(type -> body.put("content_type", type));
        if (size == 0) {
            return Json.object().put("state", "missing");
        }
        boolean isWhole = !isCoded && preview.getBytes(StandardCharsets.UTF_8).length == size && !isMasked(preview);
        if (isWhole) {
            return body.put("state", "text").put("text", preview).put("size", size);
        }
        body.put("state", "redacted");
        return isCoded ? body : body.put("size", size);
    }
}
