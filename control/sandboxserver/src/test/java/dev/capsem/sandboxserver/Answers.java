package dev.capsem.sandboxserver;

import dev.capsem.http.HttpAnswer;
import dev.capsem.wire.json.Json;
import java.io.ByteArrayOutputStream;
import tools.jackson.databind.JsonNode;

/// Answers as a client would read them.
final class Answers {
    private Answers() {}

    static JsonNode body(HttpAnswer answer) {
        return switch (answer) {
            case HttpAnswer.JsonBody json -> Json.parse(Json.bytes(json.body()));
            case HttpAnswer.LongBody json -> {
                var bytes = new ByteArrayOutputStream();
                try (HttpAnswer.Document document = json.document()) {
                    Json.write(bytes, document::write);
                }
                yield Json.parse(bytes.toByteArray());
            }
            default -> throw new AssertionError("not JSON: " + answer);
        };
    }
}
