package dev.capsem.cli.sandboxes;

import dev.capsem.cli.command.CliProblem;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// `-e NAME=VALUE`, or `-e NAME` for the value it has here.
final class Environment {
    private Environment() {}

    static Map<String, String> of(List<String> settings, Map<String, String> ours) {
        var result = new LinkedHashMap<String, String>();
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            String name = equals < 0 ? setting : setting.substring(0, equals);
            String value = equals < 0 ? ours.get(name) : setting.substring(equals + 1);
            if (name.isEmpty() || value == null) {
                throw CliProblem.usage("there is no variable to pass on for -e " + setting, "write -e NAME=VALUE");
            }
            result.put(name, value);
        }
        return result;
    }
}
