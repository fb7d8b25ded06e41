package dev.capsem.wire.aggregator;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.JsonShapeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// One MCP server that the aggregator may connect to.
///
/// @param url where it listens; absent for one that is reached through `socket` only
/// @param headers sent with every HTTP request
/// @param source who asked for it: `profile`, `corp`, `claude`, `gemini`, `builtin`
/// @param isUnsupportedStdio it can only be started as a program, and nobody granted it capabilities: skipped
/// @param socket a Unix socket that somebody connected to the server's stdin and stdout; MCP lines go over it
/// @param allowedTools if not empty, the only tools that are listed and callable
public record ServerDefinition(
        String name,
        Optional<String> url,
        Map<String, SecretText> headers,
        Optional<SecretText> bearerToken,
        boolean isEnabled,
        String source,
        boolean isUnsupportedStdio,
        Optional<String> socket,
        List<String> allowedTools) {
    /// The built-in tools' server; only the host itself may define it.
    public static final String LOCAL = "local";

    /// The `source` of the host's own definitions.
    public static final String BUILTIN_SOURCE = "builtin";

    public ServerDefinition {
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        allowedTools = List.copyOf(allowedTools);
    }

    /// Why a name cannot be used; empty if it can.
    public Optional<String> complaint() {
        if (name.isEmpty()) {
            return Optional.of("a server has no name");
        }
        if (name.contains(Namespace.SEPARATOR) || name.contains("/")) {
            return Optional.of("a server's name contains __ or /: " + name);
        }
        return switch (name) {
            case "builtin", "file" -> Optional.of("a server's name is reserved: " + name);
            case LOCAL ->
                source.equals(BUILTIN_SOURCE) ? Optional.empty() : Optional.of("a server's name is reserved: " + name);
            default -> Optional.empty();
        };
    }

    public boolean allows(String tool) {
        return allowedTools.isEmpty() || allowedTools.contains(tool);
    }

    /// Whether there is anything to connect to.
    public boolean isReachable() {
        return isEnabled && !isUnsupportedStdio && (url.isPresent() || socket.isPresent());
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object().put("name", name);
        url.ifPresent(value -> json.put("url", value));
        ObjectNode sent = json.putObject("headers");
        headers.forEach((header, value) -> sent.put(header, value.reveal()));
        bearerToken.ifPresent(token -> json.put("bearer_token", token.reveal()));
        json.put("enabled", isEnabled).put("source", source).put("unsupported_stdio", isUnsupportedStdio);
        socket.ifPresent(path -> json.put("socket", path));
        if (!allowedTools.isEmpty()) {
            ArrayNode tools = json.putArray("allowed_tools");
            allowedTools.forEach(tools::add);
        }
        return json;
    }

    public static ArrayNode toJson(List<ServerDefinition> definitions) {
        ArrayNode array = Json.array();
        definitions.forEach(definition -> array.add(definition.toJson()));
        return array;
    }

    /// Throws [JsonShapeException] when it is not an array of definitions.
    public static List<ServerDefinition> listOf(JsonNode json) {
        if (!json.isArray()) {
            throw new JsonShapeException("the server definitions must be an array");
        }
        List<ServerDefinition> definitions = new ArrayList<>();
        for (JsonNode item : json) {
            definitions.add(of(JsonMembers.of(item, "servers[" + definitions.size() + "]")));
        }
        return definitions;
    }

    private static ServerDefinition of(JsonMembers json) {
        Map<String, SecretText> headers = new LinkedHashMap<>();
        json.textMap("headers").forEach((header, value) -> headers.put(header, new SecretText(value)));
        return new ServerDefinition(
                json.text("name"),
                json.optionalText("url").filter(url -> !url.isEmpty()),
                headers,
                json.optionalText("bearer_token")
                        .filter(token -> !token.isEmpty())
                        .map(SecretText::new),
                json.flag("enabled", true),
                json.optionalText("source").orElse("manual"),
                json.flag("unsupported_stdio", false),
                json.optionalText("socket"),
                json.texts("allowed_tools"));
    }
}
