package dev.capsem.toolserver;

import dev.capsem.wire.json.Json;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// A text that a person may put before their model, with blanks to fill in.
///
/// @param words the text, given the filled-in blanks
public record Prompt(
        String name,
        String title,
        String description,
        List<Blank> blanks,
        Function<Map<String, String>, String> words) {
    public Prompt {
        blanks = List.copyOf(blanks);
    }

    public record Blank(String name, String description, boolean isRequired) {}

    ObjectNode definition() {
        ObjectNode json = Json.object().put("name", name).put("title", title).put("description", description);
        ArrayNode array = json.putArray("arguments");
        for (Blank blank : blanks) {
            array.addObject()
                    .put("name", blank.name())
                    .put("description", blank.description())
                    .put("required", blank.isRequired());
        }
        return json;
    }

    ObjectNode filled(Map<String, String> given) {
        ObjectNode json = Json.object().put("description", description);
        ObjectNode message = json.putArray("messages").addObject().put("role", "user");
        message.putObject("content").put("type", "text").put("text", words.apply(given));
        return json;
    }
}
