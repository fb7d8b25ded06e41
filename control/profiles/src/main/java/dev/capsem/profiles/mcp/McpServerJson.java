package dev.capsem.profiles.mcp;

import dev.capsem.profiles.secret.SecretTemplate;
import dev.capsem.source.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads entries back from what [McpServer#toJson] wrote into a session's directory.
public final class McpServerJson {
    private McpServerJson() {}

    /// Throws IllegalArgumentException if it is not such a text.
    public static McpServer read(ServerName name, JsonValue.Members json) {
        JsonValue.Members capsem = members(json, "capsem");
        return new McpServer(
                name,
                transport(json),
                flag(capsem, "enabled"),
                flag(capsem, "editable"),
                texts(capsem, "allowed_tools"),
                texts(capsem, "capabilities"),
                text(json, "source"),
                json.get("obstacle").isPresent() ? Optional.of(text(json, "obstacle")) : Optional.empty());
    }

    private static ServerTransport transport(JsonValue.Members json) {
        String type = text(json, "type");
        if (type.equals("stdio")) {
            List<SecretTemplate> args =
                    texts(json, "args").stream().map(McpServerJson::template).toList();
            return new ServerTransport.Stdio(text(json, "command"), args, templates(json, "env"));
        }
        Optional<SecretTemplate> token = json.get("bearerToken").isPresent()
                ? Optional.of(template(text(json, "bearerToken")))
                : Optional.empty();
        return new ServerTransport.Http(
                template(text(json, "url")), type.equals("sse"), templates(json, "headers"), token);
    }

    private static Map<String, SecretTemplate> templates(JsonValue.Members json, String key) {
        Map<String, SecretTemplate> templates = new LinkedHashMap<>();
        JsonValue.Members values = members(json, key);
        values.map().keySet().forEach(name -> templates.put(name, template(text(values, name))));
        return templates;
    }

    private static SecretTemplate template(String text) {
        return switch (SecretTemplate.parse(text)) {
            case SecretTemplate.Parsed.Ok ok -> ok.template();
            case SecretTemplate.Parsed.Refused refused -> throw new IllegalArgumentException(refused.reason());
        };
    }

    private static JsonValue.Members members(JsonValue.Members json, String key) {
        if (json.get(key).orElse(JsonValue.none()) instanceof JsonValue.Members members) {
            return members;
        }
        throw new IllegalArgumentException(key + " is not an object");
    }

    private static String text(JsonValue.Members json, String key) {
        if (json.get(key).orElse(JsonValue.none()) instanceof JsonValue.Text text) {
            return text.value();
        }
        throw new IllegalArgumentException(key + " is not a text");
    }

    private static boolean flag(JsonValue.Members json, String key) {
        if (json.get(key).orElse(JsonValue.none()) instanceof JsonValue.Bool bool) {
            return bool.value();
        }
        throw new IllegalArgumentException(key + " is not true or false");
    }

    private static List<String> texts(JsonValue.Members json, String key) {
        List<String> texts = new ArrayList<>();
        if (!(json.get(key).orElse(JsonValue.none()) instanceof JsonValue.Items items)) {
            throw new IllegalArgumentException(key + " is not a list");
        }
        for (JsonValue item : items.list()) {
            if (!(item instanceof JsonValue.Text text)) {
                throw new IllegalArgumentException(key + " is not a list of texts");
            }
            texts.add(text.value());
        }
        return texts;
    }
}
