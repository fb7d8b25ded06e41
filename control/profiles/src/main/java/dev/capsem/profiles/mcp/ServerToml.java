package dev.capsem.profiles.mcp;

import dev.capsem.profiles.secret.SecretTemplate;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.tomlj.Toml;

/// Writes a server entry as the lines of a profile.
public final class ServerToml {
    private ServerToml() {}

    public static String write(McpServer server) {
        StringBuilder toml =
                new StringBuilder("[mcpServers." + key(server.name().value()) + "]\n");
        switch (server.transport()) {
            case ServerTransport.Http http -> {
                line(toml, "type", quoted(http.isSse() ? "sse" : "http"));
                line(toml, "url", quoted(http.url().text()));
                http.bearerToken().ifPresent(token -> line(toml, "bearerToken", quoted(token.text())));
                table(toml, "headers", http.headers());
            }
            case ServerTransport.Stdio stdio -> {
                line(toml, "command", quoted(stdio.command()));
                line(
                        toml,
                        "args",
                        list(stdio.args().stream().map(SecretTemplate::text).toList()));
                table(toml, "env", stdio.env());
            }
        }
        toml.append("\n[mcpServers.").append(key(server.name().value())).append(".capsem]\n");
        line(toml, "enabled", String.valueOf(server.enabled()));
        line(toml, "editable", String.valueOf(server.editable()));
        if (!server.allowedTools().isEmpty()) {
            line(toml, "allowed_tools", list(server.allowedTools()));
        }
        if (!server.capabilities().isEmpty()) {
            line(toml, "capabilities", list(server.capabilities()));
        }
        return toml.toString();
    }

    private static void line(StringBuilder toml, String key, String value) {
        toml.append(key).append(" = ").append(value).append('\n');
    }

    private static void table(StringBuilder toml, String key, Map<String, SecretTemplate> values) {
        if (!values.isEmpty()) {
            line(
                    toml,
                    key,
                    values.entrySet().stream()
                            .map(entry -> quoted(entry.getKey()) + " = "
                                    + quoted(entry.getValue().text()))
                            .collect(Collectors.joining(", ", "{ ", " }")));
        }
    }

    private static String list(List<String> values) {
        return values.stream().map(ServerToml::quoted).collect(Collectors.joining(", ", "[", "]"));
    }

    private static String key(String name) {
        return name.contains(".") ? quoted(name) : name;
    }

    private static String quoted(String text) {
        return "\"" + Toml.tomlEscape(text) + "\"";
    }
}
