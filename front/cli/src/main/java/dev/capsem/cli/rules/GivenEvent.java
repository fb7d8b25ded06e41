package dev.capsem.cli.rules;

import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.screen.Printable;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// An event put together on the command line: `http.request.host=x` is text, `http.request.port:=80` is JSON.
final class GivenEvent {
    private final ObjectNode root = Json.object();

    void add(String word) {
        int equals = word.indexOf('=');
        if (equals < 1) {
            throw mistake(word);
        }
        boolean isJson = word.charAt(equals - 1) == ':';
        String[] path = word.substring(0, isJson ? equals - 1 : equals).split("\\.", -1);
        ObjectNode parent = root;
        for (int i = 0; i < path.length - 1; i++) {
            if (!parent.has(path[i])) {
                parent.putObject(path[i]);
            }
            if (!(parent.get(path[i]) instanceof ObjectNode child)) {
                throw mistake(word);
            }
            parent = child;
        }
        String value = word.substring(equals + 1);
        parent.set(
                path[path.length - 1],
                isJson ? parsed(value, word) : Json.array().add(value).get(0));
    }

    ObjectNode node() {
        return root;
    }

    private static JsonNode parsed(String value, String word) {
        try {
            return Json.parse(value);
        } catch (JsonShapeException malformed) {
            throw CliProblem.usage(
                    "what follows := in \"" + Printable.line(word) + "\" is " + malformed.reason(),
                    "quote it for your shell, like 'process.exec.argv:=[\"ls\",\"-l\"]'");
        }
    }

    private static CliProblem mistake(String word) {
        return CliProblem.usage(
                "\"" + Printable.line(word) + "\" is not PATH=VALUE",
                "like http.request.host=example.org; docs/reference/rule-fields.md has the paths");
    }
}
