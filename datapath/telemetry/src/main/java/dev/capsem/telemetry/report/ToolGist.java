package dev.capsem.telemetry.report;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/// A tool call in one line: its name and the argument that says what it is about.
final class ToolGist {
    static final int ARGUMENTS_LENGTH_MAX = 4_096;
    private static final int LENGTH_MAX = 160;

    /// Arguments by which the tools of agents say what they are about, the most telling first.
    private static final List<String> TELLING = List.of(
            "command",
            "cmd",
            "file_path",
            "filePath",
            "notebook_path",
            "absolute_path",
            "path",
            "pattern",
            "query",
            "url",
            "prompt",
            "description",
            "name",
            "input");

    private ToolGist() {}

    /// @param arguments as the model wrote them: JSON or not, whole or cut
    static String line(String tool, String arguments) {
        String gist = gist(arguments).replaceAll("\\s+", " ").strip();
        String cut = gist.length() <= LENGTH_MAX ? gist : gist.substring(0, LENGTH_MAX) + "…";
        return cut.isEmpty() ? tool : tool + " " + cut;
    }

    private static String gist(String arguments) {
        JsonNode json;
        try {
            json = Json.parse(arguments);
        } catch (JsonShapeException notJson) {
            // Long arguments are kept as previews: their end is missing.
            return TELLING.stream()
                    .flatMap(name -> Pattern.compile('"' + name + "\"\\s*:\\s*\"([^\"\\\\]{1,256})\"")
                            .matcher(arguments)
                            .results())
                    .map(found -> found.group(1))
                    .findFirst()
                    .orElse(arguments);
        }
        if (!json.isObject()) {
            return text(json).orElse(arguments);
        }
        for (String name : TELLING) {
            Optional<String> text = text(json.path(name));
            if (text.isPresent()) {
                return text.get();
            }
        }
        return json.values().stream()
                .flatMap(value -> text(value).stream())
                .findFirst()
                .orElse(json.isEmpty() ? "" : arguments);
    }

    /// Of a scalar, or of the words of a command.
    private static Optional<String> text(JsonNode value) {
        if (value.isArray()) {
            return value.isEmpty()
                    ? Optional.empty()
                    : Optional.of(value.valueStream()
                            .map(word -> word.isValueNode() ? word.asString("") : "…")
                            .collect(Collectors.joining(" ")));
        }
        return value.isValueNode() && !value.isNull() && !value.isMissingNode()
                ? Optional.of(value.asString("")).filter(text -> !text.isBlank())
                : Optional.empty();
    }
}
