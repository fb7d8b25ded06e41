package dev.capsem.policy.json;

import dev.capsem.fuzz.Property;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// The reader with positions against Jackson: what it takes for JSON is JSON.
public final class JsonReaderFuzz {
    private JsonReaderFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        JsonReading reading = JsonReader.read(data);
        if (reading instanceof JsonReading.Malformed malformed) {
            Property.holds(!malformed.reason().isBlank(), "malformed without a reason");
            return;
        }
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data));
        } catch (CharacterCodingException e) {
            throw new AssertionError("JSON that is not UTF-8", e);
        }
        try {
            Json.parse(data);
        } catch (JsonShapeException e) {
            String reason = String.valueOf(e.getMessage());
            // Jackson is stricter about duplicates, which are reported beside the document, and about depth.
            boolean isKnown = reason.contains("uplicate") || reason.contains("ep") || reason.contains("ength");
            Property.holds(isKnown, "JSON that is none to Jackson: " + reason);
        }
    }
}
