package dev.capsem.cli.install;

import dev.capsem.cli.command.CliProblem;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// A client: where it keeps its configuration, and how a server stands in it.
enum McpClient {
    CLAUDE(Form.JSON, "mcpServers") {
        @Override
        Path file(Map<String, String> environment, Path home) {
            return directory(environment, "CLAUDE_CONFIG_DIR").orElse(home).resolve(".claude.json");
        }

        @Override
        ObjectNode entry(Registration server) {
            return standard(server, true);
        }
    },
    GEMINI(Form.JSON, "mcpServers") {
        @Override
        Path file(Map<String, String> environment, Path home) {
            return home.resolve(".gemini").resolve("settings.json");
        }

        @Override
        ObjectNode entry(Registration server) {
            return standard(server, false);
        }
    },
    CODEX(Form.TOML, "mcp_servers") {
        @Override
        Path file(Map<String, String> environment, Path home) {
            return directory(environment, "CODEX_HOME")
                    .orElse(home.resolve(".codex"))
                    .resolve("config.toml");
        }

        @Override
        ObjectNode entry(Registration server) {
            return standard(server, false);
        }
    },
    OPENCODE(Form.JSON, "mcp") {
        @Override
        Path file(Map<String, String> environment, Path home) {
            return directory(environment, "XDG_CONFIG_HOME")
                    .orElse(home.resolve(".config"))
                    .resolve("opencode")
                    .resolve("opencode.json");
        }

        @Override
        ObjectNode entry(Registration server) {
            ObjectNode entry = Json.object().put("type", "local");
            entry.putArray("command").add(server.program());
            putEnvironment(entry, "environment", server);
            return entry.put("enabled", true);
        }
    },
    VSCODE(Form.JSON, "servers") {
        @Override
        Path file(Map<String, String> environment, Path home) {
            return directory(environment, "XDG_CONFIG_HOME")
                    .orElse(home.resolve(".config"))
                    .resolve("Code")
                    .resolve("User")
                    .resolve("mcp.json");
        }

        @Override
        ObjectNode entry(Registration server) {
            return standard(server, true);
        }
    },
    CURSOR(Form.JSON, "mcpServers") {
        @Override
        Path file(Map<String, String> environment, Path home) {
            return home.resolve(".cursor").resolve("mcp.json");
        }

        @Override
        ObjectNode entry(Registration server) {
            return standard(server, false);
        }
    };

    enum Form {
        JSON,
        TOML
    }

    private final Form form;
    private final String section;

    McpClient(Form form, String section) {
        this.form = form;
        this.section = section;
    }

    abstract Path file(Map<String, String> environment, Path home);

    abstract ObjectNode entry(Registration server);

    static Optional<McpClient> named(String word) {
        return List.of(values()).stream()
                .filter(client -> client.word().equals(word))
                .findFirst();
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// The part of the file that is about this server.
    String alone(Registration server) {
        return with(server, "");
    }

    /// The file's text with this server in it; the same text when it is in it already.
    ///
    /// @param text empty for a file that is not there
    String with(Registration server, String text) {
        return switch (form) {
            case TOML -> new TomlTables(text).with(section, server.name(), entry(server));
            case JSON -> json(server, text);
        };
    }

    private String json(Registration server, String text) {
        ObjectNode root = Json.object();
        try {
            if (!text.isBlank()) {
                if (!(Json.parse(text) instanceof ObjectNode object)) {
                    throw unreadable("it is not a JSON object");
                }
                root = object;
            }
        } catch (JsonShapeException e) {
            throw unreadable(e.reason());
        }
        ObjectNode servers = root.get(section) instanceof ObjectNode known ? known : root.putObject(section);
        ObjectNode entry = entry(server);
        if (entry.equals(servers.get(server.name()))) {
            return text;
        }
        servers.set(server.name(), entry);
        return Json.pretty(root) + "\n";
    }

    static CliProblem unreadable(String why) {
        return CliProblem.of(
                "unreadable_config",
                "the client's configuration cannot be edited: " + why,
                "put the entry in by hand: capsem mcp install CLIENT --print");
    }

    private static ObjectNode standard(Registration server, boolean isTyped) {
        ObjectNode entry = Json.object();
        if (isTyped) {
            entry.put("type", "stdio");
        }
        entry.put("command", server.program());
        entry.putArray("args");
        putEnvironment(entry, "env", server);
        return entry;
    }

    private static void putEnvironment(ObjectNode entry, String member, Registration server) {
        if (!server.environment().isEmpty()) {
            ObjectNode variables = entry.putObject(member);
            server.environment().forEach(variables::put);
        }
    }

    private static Optional<Path> directory(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name))
                .filter(value -> !value.isEmpty())
                .map(Path::of);
    }
}
