package dev.capsem.events.security;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Finds what a model is told in the JSON of a request, whatever the format.
final class PromptText {
    /// Where the formats keep it.
    private static final Set<String> ROOTS = Set.of(
            "system",
            "messages",
            "instructions",
            "input",
            "prompt",
            "suffix",
            "contents",
            "systemInstruction",
            "system_instruction",
            "request");

    /// What is said about a text, or points to one. All else counts as told, so that a new member hides nothing.
    private static final Set<String> LABELS = Set.of(
            "type",
            "role",
            "id",
            "status",
            "tool_use_id",
            "tool_call_id",
            "call_id",
            "media_type",
            "mimeType",
            "mime_type",
            "cache_control");

    private PromptText() {}

    /// All of it if it is not JSON, so that a rule sees at least what was sent.
    static String of(String body) {
        Object root = JsonDocument.parse(body).map(JsonDocument::root).orElse(body);
        if (!(root instanceof Map<?, ?> request)) {
            return body;
        }
        List<String> told = new ArrayList<>();
        boolean isKnown = request.keySet().stream().anyMatch(ROOTS::contains);
        request.forEach((key, value) -> {
            if (!isKnown || ROOTS.contains(key)) {
                collect(value, told);
            }
        });
        return String.join("\n", told);
    }

    private static void collect(Object value, List<String> told) {
        switch (value) {
            case String text -> told.add(text);
            case List<?> list -> list.forEach(element -> collect(element, told));
            case Map<?, ?> map ->
                map.forEach((key, member) -> {
                    if (!LABELS.contains(key)) {
                        collect(member, told);
                    }
                });
            default -> {}
        }
    }
}
