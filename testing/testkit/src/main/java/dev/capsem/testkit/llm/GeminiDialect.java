package dev.capsem.testkit.llm;

import static dev.capsem.testkit.llm.ModelApi.data;
import static dev.capsem.testkit.llm.ModelApi.quoted;

import dev.capsem.testkit.llm.ModelApi.Turn;
import java.util.ArrayList;
import java.util.List;

/// Google Gemini: whole, as server-sent events, or as a JSON array that grows.
final class GeminiDialect {
    List<String> answer(Turn turn, boolean isStream, boolean isSse) {
        if (!isStream) {
            return List.of(candidate(turn, turn.callsTool() ? call(turn) : text(ModelApi.TEXT), true));
        }
        List<String> parts = new ArrayList<>();
        if (turn.callsTool()) {
            parts.add(candidate(turn, call(turn), true));
        } else {
            String[] words = ModelApi.TEXT.split("(?<= )");
            for (int i = 0; i < words.length; i++) {
                parts.add(candidate(turn, text(words[i]), i == words.length - 1));
            }
        }
        List<String> framed = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            framed.add(isSse ? data(parts.get(i)) : (i == 0 ? "[" : ",\r\n") + parts.get(i));
        }
        if (!isSse) {
            framed.add("]");
        }
        return framed;
    }

    private static String call(Turn turn) {
        return "{\"functionCall\": {\"id\": \"%s\", \"name\": %s, \"args\": %s}}"
                .formatted(turn.callId(), quoted(turn.tool()), turn.arguments());
    }

    private static String text(String text) {
        return "{\"text\": " + quoted(text) + "}";
    }

    private static String candidate(Turn turn, String part, boolean isLast) {
        int prompt = turn.usage().input() + turn.usage().cached();
        return """
                {"candidates": [{"content": {"parts": [%s], "role": "model"}%s, "index": 0}], \
                "usageMetadata": {"promptTokenCount": %d, "cachedContentTokenCount": %d, "candidatesTokenCount": %d, \
                "totalTokenCount": %d}, "modelVersion": %s, "responseId": "gem_%d"}""".formatted(
                        part,
                        isLast ? ", \"finishReason\": \"STOP\"" : "",
                        prompt,
                        turn.usage().cached(),
                        turn.usage().output(),
                        prompt + turn.usage().output(),
                        quoted(turn.model()),
                        turn.number());
    }
}
