package dev.capsem.profiles.mcp;

import dev.capsem.policy.json.Json;
import dev.capsem.profiles.secret.Template;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Reads entries back from what [McpServer#toJson] wrote into a session's directory.
public final class McpServerJson {
    private McpServerJson() {}

    /// Throws IllegalArgumentException if it is not such a text.
    public static McpServer read(ServerName name, Json.Members json) {
        Json.Members capsem = members(json, "capsem");
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

    private static Transport transport(Json.Members json) {
        String type = text(json, "type");
        if (type.equals("stdio")) {
            List<Template> args =
                    texts(json, "args").stream().map(McpServerJson::template).toList();
            return new Transport.Stdio(text(json, "command"), args, templates(json, "env"));
        }
        Optional<Template> token = json.get("bearerToken").isPresent()
                ? Optional.of(template(text(json, "bearerToken")))
                : Optional.empty();
        return new Transport.Http(template(text(json, "url")), type.equals("sse"), templates(json, "headers"), token);
    }

    private static Map<String, Template> templates(Json.Members json, String key) {
        Map<String, Template> templates = new LinkedHashMap<>();
        Json.Members values = members(json, key);
        values.map().keySet().forEach(name -> templates.put(name, template(text(values, name))));
        return templates;
    }

    private static Template template(String text) {
        return switch (Template.parse(text)) {
            case Template.Parsed.Ok ok -> ok.template();
            case Template.Parsed.Refused refused -> throw new IllegalArgumentException(refused.reason());
        };
    }

    private static Json.Members members(Json.Members json, String key) {
        if (json.get(key).orElse(Json.none()) instanceof Json.Members members) {
            return members;
        }
        throw new IllegalArgumentException(key + " is not an object");
    }

    private static String text(Json.Members json, String key) {
        if (json.get(key).orElse(Json.none()) instanceof Json.Text text) {
            return text.value();
        }
        throw new IllegalArgumentException(key + " is not a text");
    }

    private static boolean flag(Json.Members json, String key) {
        if (json.get(key).orElse(Json.none()) instanceof Json.Bool bool) {
            return bool.value();
        }
        throw new IllegalArgumentException(key + " is not true or false");
    }

    private static List<String> texts(Json.Members json, String key) {
        List<String> texts = new ArrayList<>();
        if (!(json.get(key).orElse(Json.none()) instanceof Json.Items items)) {
            throw new IllegalArgumentException(key + " is not a list");
        }
        for (Json item : items.list()) {
            if (!(item instanceof Json.Text text)) {
                throw new IllegalArgumentException(key + " is not a list of texts");
            }
            texts.add(text.value());
        }
        return texts;
    }
}
