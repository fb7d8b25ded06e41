package dev.capsem.cli.install;

import dev.capsem.wire.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.tomlj.Toml;
import org.tomlj.TomlParseResult;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Edits one table of a TOML file as text, so that everything else stays as a person wrote it.
final class TomlTables {
    private final String text;

    TomlTables(String text) {
        this.text = text;
    }

    /// The text with the table `[section.name]` and its `env` saying what `entry` says.
    String with(String section, String name, ObjectNode entry) {
        check(text);
        String header = section + "." + name;
        String table = table(header, entry);
        List<String> kept = new ArrayList<>();
        List<String> old = new ArrayList<>();
        boolean isOurs = false;
        for (String line : text.lines().toList()) {
            String bare = line.strip();
            if (bare.startsWith("[")) {
                isOurs = bare.equals("[" + header + "]") || bare.startsWith("[" + header + ".");
            }
            (isOurs ? old : kept).add(line);
        }
        if (String.join("\n", old).strip().equals(table.strip())) {
            return text;
        }
        if (old.isEmpty() && Toml.parse(text).contains(header)) {
            throw McpClient.unreadable("it has " + header + " in a form that is not a table of its own");
        }
        String rest = String.join("\n", kept).strip();
        String edited = (rest.isEmpty() ? "" : rest + "\n\n") + table;
        check(edited);
        return edited;
    }

    private static void check(String toml) {
        TomlParseResult parsed = Toml.parse(toml);
        if (parsed.hasErrors()) {
            throw McpClient.unreadable(
                    "it is not TOML: " + parsed.errors().getFirst().getMessage());
        }
    }

    private static String table(String header, ObjectNode entry) {
        var table = new StringBuilder("[" + header + "]\n");
        var below = new StringBuilder();
        for (Map.Entry<String, JsonNode> member : entry.properties()) {
            if (member.getValue().isObject()) {
                below.append("\n[")
                        .append(header)
                        .append('.')
                        .append(member.getKey())
                        .append("]\n");
                member.getValue().properties().forEach(inner -> line(below, inner));
            } else {
                line(table, member);
            }
        }
        return table.append(below).toString();
    }

    /// Strings and arrays of strings are written alike in JSON and TOML.
    private static void line(StringBuilder out, Map.Entry<String, JsonNode> member) {
        out.append(member.getKey())
                .append(" = ")
                .append(Json.text(member.getValue()))
                .append('\n');
    }
}
