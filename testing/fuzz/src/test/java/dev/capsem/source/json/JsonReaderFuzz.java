package dev.capsem.source.json;

import dev.capsem.fuzz.Property;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// The reader with positions against Jackson: what it takes for JSON is JSON.
public final class JsonReaderFuzz {
    private static final int NUMBER_LENGTH_MAX = 1_000;

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
        // The other one is stricter about duplicates, which this one reports, about depth and about large numbers.
        boolean isComparable = reading instanceof JsonReading.Parsed(ParsedJson document)
                && document.duplicates().isEmpty()
                && nestingMax(data) <= Json.DEPTH_MAX
                && data.length < NUMBER_LENGTH_MAX;
        if (isComparable) {
            try {
                Json.parse(data);
            } catch (JsonShapeException e) {
                Property.holds(
                        String.valueOf(e.getMessage()).contains("too large"),
                        "JSON that is none to Jackson: " + e.getMessage());
            }
        }
    }

    private static long nestingMax(byte[] data) {
        long opened = 0;
        for (byte each : data) {
            opened += each == '{' || each == '[' ? 1 : 0;
        }
        return opened;
    }
}
