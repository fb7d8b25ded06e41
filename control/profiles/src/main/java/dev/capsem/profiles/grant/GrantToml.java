package dev.capsem.profiles.grant;

import dev.capsem.source.json.JsonValue;
import java.util.stream.Collectors;
import org.tomlj.Toml;

/// Writes a grant as the lines of a profile.
public final class GrantToml {
    private GrantToml() {}

    public static String write(ProfileGrant grant) {
        StringBuilder toml = new StringBuilder("[[grant]]\n");
        GrantJson.write(grant)
                .map()
                .forEach((key, value) ->
                        toml.append(key).append(" = ").append(value(value)).append('\n'));
        return toml.toString();
    }

    private static String value(JsonValue value) {
        return switch (value) {
            case JsonValue.Text text -> "\"" + Toml.tomlEscape(text.value()) + "\"";
            case JsonValue.Items items ->
                items.list().stream().map(GrantToml::value).collect(Collectors.joining(", ", "[", "]"));
            case JsonValue.Members members ->
                members.map().entrySet().stream()
                        .map(entry -> entry.getKey() + " = " + value(entry.getValue()))
                        .collect(Collectors.joining(", ", "{ ", " }"));
            case JsonValue.Numeral number -> number.spelling();
            case JsonValue.Bool bool -> String.valueOf(bool.value());
            case JsonValue.Null _ -> throw new IllegalStateException("a grant has no empty values");
        };
    }
}
