package dev.capsem.testkit.llm;

import static dev.capsem.testkit.llm.ModelApi.event;
import static dev.capsem.testkit.llm.ModelApi.quoted;

import dev.capsem.testkit.llm.ModelApi.Turn;
import java.util.ArrayList;
import java.util.List;

/// Anthropic Messages.
final class AnthropicDialect {
    List<String> answer(Turn turn, boolean isStream) {
        return isStream ? stream(turn) : List.of(whole(turn));
    }

    private static String usage(Turn turn, int output) {
        return "{\"input_tokens\": " + turn.usage().input() + ", \"cache_creation_input_tokens\": 0,"
                + " \"cache_read_input_tokens\": " + turn.usage().cached() + ", \"output_tokens\": " + output + "}";
    }

    private static String whole(Turn turn) {
        String content = turn.callsTool()
                ? "{\"type\": \"tool_use\", \"id\": \"%s\", \"name\": %s, \"input\": %s}"
                        .formatted(turn.callId(), quoted(turn.tool()), turn.arguments())
                : "{\"type\": \"text\", \"text\": %s}".formatted(quoted(ModelApi.TEXT));
        return """
                {"id": "msg_%d", "type": "message", "role": "assistant", "model": %s, "content": [%s],
                 "stop_reason": "%s", "stop_sequence": null, "usage": %s}
                """.formatted(
                        turn.number(),
                        quoted(turn.model()),
                        content,
                        turn.callsTool() ? "tool_use" : "end_turn",
                        usage(turn, turn.usage().output()));
    }

    private static List<String> stream(Turn turn) {
        List<String> events = new ArrayList<>();
        events.add(event("message_start", """
                {"type": "message_start", "message": {"id": "msg_%d", "type": "message", "role": "assistant", \
                "model": %s, "content": [], "stop_reason": null, "stop_sequence": null, "usage": %s}}""".formatted(turn.number(), quoted(turn.model()), usage(turn, 1))));
        events.add(event("ping", "{\"type\": \"ping\"}"));
        if (turn.callsTool()) {
            events.add(blockStart("{\"type\": \"tool_use\", \"id\": \"%s\", \"name\": %s, \"input\": {}}"
                    .formatted(turn.callId(), quoted(turn.tool()))));
            int half = turn.arguments().length() / 2;
            events.add(jsonDelta(turn.arguments().substring(0, half)));
            events.add(jsonDelta(turn.arguments().substring(half)));
        } else {
            events.add(blockStart("{\"type\": \"text\", \"text\": \"\"}"));
            for (String word : ModelApi.TEXT.split("(?<= )")) {
                events.add(delta("{\"type\": \"text_delta\", \"text\": %s}".formatted(quoted(word))));
            }
        }
        events.add(event("content_block_stop", "{\"type\": \"content_block_stop\", \"index\": 0}"));
        events.add(event("message_delta", """
                {"type": "message_delta", "delta": {"stop_reason": "%s", "stop_sequence": null}, \
                "usage": {"output_tokens": %d}}""".formatted(
                        turn.callsTool() ? "tool_use" : "end_turn", turn.usage().output())));
        events.add(event("message_stop", "{\"type\": \"message_stop\"}"));
        return events;
    }

    private static String blockStart(String block) {
        return event(
                "content_block_start",
                "{\"type\": \"content_block_start\", \"index\": 0, \"content_block\": " + block + "}");
    }

    private static String jsonDelta(String part) {
        return delta("{\"type\": \"input_json_delta\", \"partial_json\": %s}".formatted(quoted(part)));
    }

    private static String delta(String delta) {
        return event(
                "content_block_delta", "{\"type\": \"content_block_delta\", \"index\": 0, \"delta\": " + delta + "}");
    }
}
