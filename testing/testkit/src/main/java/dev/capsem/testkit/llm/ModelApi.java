package dev.capsem.testkit.llm;

import dev.capsem.testkit.http.Exchange;
import dev.capsem.testkit.http.HttpOrigin;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// Anthropic Messages, OpenAI Chat Completions, OpenAI Responses and Gemini at their usual paths. A conversation
/// that offers tools and brings no result yet is answered with a call of the first tool (an agent's shell, where
/// one is offered); any other with the text [#TEXT]. Streams if asked to. What each turn counts is stated by
/// [#TURN_WITH_TOOL] and [#TURN_WITH_TEXT].
public final class ModelApi implements HttpOrigin.Handler {
    public static final String TEXT = "All done, as asked.";

    /// A tool of an MCP server is called if the conversation names it.
    private static final String MCP_PREFIX = "mcp__";

    /// What Claude Code, opencode, Gemini CLI and Codex call their shell.
    private static final Set<String> SHELLS =
            Set.of("Bash", "bash", "run_shell_command", "shell", "shell_command", "exec_command");

    /// What such a tool is told.
    public static final String MESSAGE = "said by the model";

    /// What a shell is asked to do.
    public static final String COMMAND = "echo made-by-the-tool > made.txt";

    public static final Usage TURN_WITH_TOOL = new Usage(1_200, 300, 40);
    public static final Usage TURN_WITH_TEXT = new Usage(1_300, 0, 10);

    private static final ObjectMapper JSON = new JsonMapper();

    /// @param input tokens without those read from a cache
    /// @param cached tokens read from a cache
    public record Usage(int input, int cached, int output) {}

    private final AtomicInteger calls = new AtomicInteger();

    /// The answer to one call, before a dialect puts it into words.
    ///
    /// @param tool empty for an answer in text
    record Turn(int number, String model, String tool, String arguments, Usage usage) {
        boolean callsTool() {
            return !tool.isEmpty();
        }

        String callId() {
            return "call_" + number;
        }
    }

    @Override
    public void handle(Exchange exchange) throws IOException {
        byte[] body = exchange.bodyBytes();
        String path = exchange.path();
        if (!exchange.method().equals("POST") || body.length == 0) {
            exchange.reply(200, "application/json", "{}");
            return;
        }
        JsonNode request = JSON.readTree(body);
        boolean isStream = request.path("stream").asBoolean(false);
        if (path.endsWith("/v1/messages")) {
            Turn turn = turn(request, request.path("model").asString(""), hasAnthropicResult(request));
            answer(exchange, isStream, new AnthropicDialect().answer(turn, isStream));
        } else if (path.endsWith("/v1/chat/completions")) {
            Turn turn = turn(request, request.path("model").asString(""), hasRole(request, "tool"));
            answer(exchange, isStream, new OpenAiDialects().chat(turn, isStream));
        } else if (path.endsWith("/v1/responses")) {
            Turn turn = turn(request, request.path("model").asString(""), hasFunctionOutput(request));
            answer(exchange, isStream, new OpenAiDialects().responses(turn, isStream));
        } else if (path.contains(":generateContent") || path.contains(":streamGenerateContent")) {
            String model = path.substring(path.lastIndexOf('/') + 1, path.lastIndexOf(':'));
            boolean isSse = exchange.target().contains("alt=sse");
            Turn turn = turn(request, model, body(request).contains("functionResponse"));
            answer(exchange, isSse, new GeminiDialect().answer(turn, path.contains(":stream"), isSse));
        } else {
            exchange.reply(200, "application/json", "{}");
        }
    }

    private static void answer(Exchange exchange, boolean isSse, List<String> parts) throws IOException {
        String type = isSse ? "text/event-stream; charset=utf-8" : "application/json";
        try (OutputStream out = exchange.chunked(200, Map.of("content-type", type))) {
            for (String part : parts) {
                out.write(part.getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        }
    }

    private Turn turn(JsonNode request, String model, boolean hasResult) {
        int number = calls.incrementAndGet();
        String tool = hasResult ? "" : toolOf(request);
        return new Turn(number, model, tool, arguments(tool), tool.isEmpty() ? TURN_WITH_TEXT : TURN_WITH_TOOL);
    }

    private static String arguments(String tool) {
        if (tool.startsWith(MCP_PREFIX)) {
            return JSON.createObjectNode().put("message", MESSAGE).toString();
        }
        return switch (tool) {
            case "Bash", "bash", "run_shell_command" ->
                JSON.createObjectNode()
                        .put("command", COMMAND)
                        .put("description", "Makes a file")
                        .toString();
            case "shell" -> {
                ObjectNode call = JSON.createObjectNode();
                call.putArray("command").add("sh").add("-c").add(COMMAND);
                yield call.toString();
            }
            case "shell_command" ->
                JSON.createObjectNode().put("command", COMMAND).toString();
            case "exec_command" -> JSON.createObjectNode().put("cmd", COMMAND).toString();
            default -> "{\"city\": \"Oslo\"}";
        };
    }

    private static String toolOf(JsonNode request) {
        String chosen = "";
        String said = request.path("messages").toString();
        for (String name : toolNames(request)) {
            if (name.startsWith(MCP_PREFIX) && said.contains(name)) {
                return name;
            }
            if (chosen.isEmpty() || (SHELLS.contains(name) && !SHELLS.contains(chosen))) {
                chosen = name;
            }
        }
        return chosen;
    }

    private static List<String> toolNames(JsonNode request) {
        List<String> names = new ArrayList<>();
        for (JsonNode tool : request.path("tools")) {
            tool.path("functionDeclarations")
                    .forEach(declared -> names.add(declared.path("name").asString("")));
            String name = tool.path("name")
                    .asString(tool.path("function").path("name").asString(""));
            if (!name.isEmpty()) {
                names.add(name);
            }
        }
        return names;
    }

    private static boolean hasAnthropicResult(JsonNode request) {
        JsonNode messages = request.path("messages");
        for (JsonNode block : messages.path(messages.size() - 1).path("content")) {
            if (block.path("type").asString("").equals("tool_result")) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasRole(JsonNode request, String role) {
        for (JsonNode message : request.path("messages")) {
            if (message.path("role").asString("").equals(role)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasFunctionOutput(JsonNode request) {
        for (JsonNode item : request.path("input")) {
            if (item.path("type").asString("").equals("function_call_output")) {
                return true;
            }
        }
        return false;
    }

    private static String body(JsonNode request) {
        return request.path("contents").toString();
    }

    static String event(String name, String data) {
        return "event: " + name + "\ndata: " + data + "\n\n";
    }

    static String data(String data) {
        return "data: " + data + "\n\n";
    }

    /// As a JSON string, with its quotes.
    static String quoted(String text) {
        return JSON.writeValueAsString(text);
    }
}
