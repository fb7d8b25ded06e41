package dev.capsem.testkit.llm;

import static dev.capsem.testkit.llm.ModelApi.data;
import static dev.capsem.testkit.llm.ModelApi.event;
import static dev.capsem.testkit.llm.ModelApi.quoted;

import dev.capsem.testkit.llm.ModelApi.Turn;
import java.util.ArrayList;
import java.util.List;

/// OpenAI's two APIs. Their input counts include what came from a cache.
final class OpenAiDialects {
    List<String> chat(Turn turn, boolean isStream) {
        return isStream ? chatStream(turn) : List.of(chatWhole(turn));
    }

    List<String> responses(Turn turn, boolean isStream) {
        return isStream ? responsesStream(turn) : List.of(response(turn, "completed", true));
    }

    private static int prompt(Turn turn) {
        return turn.usage().input() + turn.usage().cached();
    }

    private static String chatUsage(Turn turn) {
        return """
                {"prompt_tokens": %d, "completion_tokens": %d, "total_tokens": %d, \
                "prompt_tokens_details": {"cached_tokens": %d}, "completion_tokens_details": {"reasoning_tokens": 0}}""".formatted(
                        prompt(turn),
                        turn.usage().output(),
                        prompt(turn) + turn.usage().output(),
                        turn.usage().cached());
    }

    private static String chatWhole(Turn turn) {
        String message = turn.callsTool()
                ? """
                {"role": "assistant", "content": null, "tool_calls": [{"id": "%s", "type": "function", \
                "function": {"name": %s, "arguments": %s}}]}""".formatted(turn.callId(), quoted(turn.tool()), quoted(turn.arguments()))
                : "{\"role\": \"assistant\", \"content\": %s}".formatted(quoted(ModelApi.TEXT));
        return """
                {"id": "chatcmpl-%d", "object": "chat.completion", "created": 1760000000, "model": %s,
                 "choices": [{"index": 0, "message": %s, "finish_reason": "%s"}], "usage": %s}
                """.formatted(turn.number(), quoted(turn.model()), message, finish(turn), chatUsage(turn));
    }

    private static String finish(Turn turn) {
        return turn.callsTool() ? "tool_calls" : "stop";
    }

    private static List<String> chatStream(Turn turn) {
        List<String> events = new ArrayList<>();
        events.add(chunk(turn, "{\"role\": \"assistant\", \"content\": \"\"}", "null"));
        if (turn.callsTool()) {
            events.add(chunk(turn, """
                    {"tool_calls": [{"index": 0, "id": "%s", "type": "function", \
                    "function": {"name": %s, "arguments": ""}}]}""".formatted(turn.callId(), quoted(turn.tool())), "null"));
            int half = turn.arguments().length() / 2;
            for (String part : List.of(
                    turn.arguments().substring(0, half), turn.arguments().substring(half))) {
                events.add(chunk(
                        turn,
                        "{\"tool_calls\": [{\"index\": 0, \"function\": {\"arguments\": %s}}]}".formatted(quoted(part)),
                        "null"));
            }
        } else {
            for (String word : ModelApi.TEXT.split("(?<= )")) {
                events.add(chunk(turn, "{\"content\": %s}".formatted(quoted(word)), "null"));
            }
        }
        events.add(chunk(turn, "{}", quoted(finish(turn))));
        events.add(data("""
                        {"id": "chatcmpl-%d", "object": "chat.completion.chunk", "created": 1760000000, "model": %s, \
                        "choices": [], "usage": %s}""".formatted(turn.number(), quoted(turn.model()), chatUsage(turn))));
        events.add(data("[DONE]"));
        return events;
    }

    private static String chunk(Turn turn, String delta, String finish) {
        return data("""
                {"id": "chatcmpl-%d", "object": "chat.completion.chunk", "created": 1760000000, "model": %s, \
                "choices": [{"index": 0, "delta": %s, "finish_reason": %s}]}""".formatted(turn.number(), quoted(turn.model()), delta, finish));
    }

    private static String item(Turn turn, boolean isComplete) {
        if (turn.callsTool()) {
            return """
                    {"id": "fc_%d", "type": "function_call", "status": "%s", "call_id": "%s", "name": %s, \
                    "arguments": %s}""".formatted(
                            turn.number(),
                            isComplete ? "completed" : "in_progress",
                            turn.callId(),
                            quoted(turn.tool()),
                            isComplete ? quoted(turn.arguments()) : "\"\"");
        }
        return """
                {"id": "msg_%d", "type": "message", "status": "%s", "role": "assistant", "content": [%s]}""".formatted(turn.number(), isComplete ? "completed" : "in_progress", isComplete ? textPart() : "");
    }

    private static String textPart() {
        return "{\"type\": \"output_text\", \"annotations\": [], \"text\": %s}".formatted(quoted(ModelApi.TEXT));
    }

    private static String response(Turn turn, String status, boolean isComplete) {
        String usage = isComplete
                ? """
                {"input_tokens": %d, "input_tokens_details": {"cached_tokens": %d}, "output_tokens": %d, \
                "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": %d}""".formatted(
                                prompt(turn),
                                turn.usage().cached(),
                                turn.usage().output(),
                                prompt(turn) + turn.usage().output())
                : "null";
        return """
                {"id": "resp_%d", "object": "response", "created_at": 1760000000, "status": "%s", "error": null, \
                "incomplete_details": null, "instructions": null, "model": %s, "output": [%s], \
                "parallel_tool_calls": true, "tool_choice": "auto", "tools": [], "usage": %s}""".formatted(turn.number(), status, quoted(turn.model()), isComplete ? item(turn, true) : "", usage);
    }

    private static List<String> responsesStream(Turn turn) {
        List<String> events = new ArrayList<>();
        events.add(typed("response.created", "\"response\": " + response(turn, "in_progress", false)));
        events.add(typed("response.output_item.added", "\"output_index\": 0, \"item\": " + item(turn, false)));
        String place =
                "\"item_id\": \"%s_%d\", \"output_index\": 0".formatted(turn.callsTool() ? "fc" : "msg", turn.number());
        if (turn.callsTool()) {
            int half = turn.arguments().length() / 2;
            for (String part : List.of(
                    turn.arguments().substring(0, half), turn.arguments().substring(half))) {
                events.add(typed("response.function_call_arguments.delta", place + ", \"delta\": " + quoted(part)));
            }
            events.add(typed(
                    "response.function_call_arguments.done", place + ", \"arguments\": " + quoted(turn.arguments())));
        } else {
            String part = place + ", \"content_index\": 0";
            events.add(typed(
                    "response.content_part.added",
                    part + ", \"part\": {\"type\": \"output_text\", \"annotations\": [], \"text\": \"\"}"));
            for (String word : ModelApi.TEXT.split("(?<= )")) {
                events.add(typed("response.output_text.delta", part + ", \"delta\": " + quoted(word)));
            }
            events.add(typed("response.output_text.done", part + ", \"text\": " + quoted(ModelApi.TEXT)));
        }
        events.add(typed("response.output_item.done", "\"output_index\": 0, \"item\": " + item(turn, true)));
        events.add(typed("response.completed", "\"response\": " + response(turn, "completed", true)));
        return events;
    }

    private static String typed(String name, String members) {
        return event(name, "{\"type\": \"" + name + "\", " + members + "}");
    }
}
