package dev.capsem.cli.rules;

import dev.capsem.cli.command.CliProblem;
import dev.capsem.wire.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.tomlj.Toml;
import org.tomlj.TomlTable;
import tools.jackson.databind.node.ObjectNode;

/// One rule of a file, as the service's API takes it. Only its keys are read here; what they mean is the service's.
///
/// @param id such as `security.rules.http.no_paste_sites`
/// @param keys on, if, decision, …
record WrittenRule(String id, ObjectNode keys) {
    private static final List<String> SECTION = List.of("security", "rules");

    /// In the file's order. Requires: the service found no problem in it.
    static List<WrittenRule> of(SourceFile source) {
        var rules = new ArrayList<WrittenRule>();
        TomlTable types = Optional.ofNullable(Toml.parse(source.text()).getTable(SECTION))
                .orElseThrow(() -> CliProblem.usage(
                        source.name() + " has no rules", "write [security.rules.<type>.<name>], see docs/rules.md"));
        for (String type : types.keySet()) {
            TomlTable names = table(types, type);
            for (String name : names.keySet()) {
                String id = String.join(".", SECTION) + "." + type + "." + name;
                if (Json.parse(table(names, name).toJson()) instanceof ObjectNode keys) {
                    rules.add(new WrittenRule(id, keys));
                }
            }
        }
        return rules;
    }

    private static TomlTable table(TomlTable parent, String key) {
        if (parent.get(List.of(key)) instanceof TomlTable table) {
            return table;
        }
        throw CliProblem.usage(key + " is not a table", "write [security.rules.<type>.<name>], see docs/rules.md");
    }

    String text(String key) {
        return keys.path(key).asString("");
    }
}
