package dev.capsem.cli.agent;

import dev.capsem.cli.agent.recipe.AgentRecipe.Settings;
import dev.capsem.client.SandboxService;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Brings the user's settings of an agent, and who the user is for git, into a sandbox. Of JSON only the members that a
/// recipe names come along: a token that stands beside them stays outside.
final class AgentSettings {
    private static final int BYTES_MAX = 1024 * 1024;

    private final SandboxService service;
    private final Path home;

    AgentSettings(SandboxService service, Path home) {
        this.service = service;
        this.home = home;
    }

    void bring(String id, List<Settings> files) {
        for (Settings settings : files) {
            Optional<String> outside = text(home.resolve(settings.file()));
            if (settings.whole()) {
                outside.ifPresent(text -> write(id, settings.file(), text));
            } else {
                members(id, settings, outside);
            }
        }
        gitIdentity().ifPresent(text -> write(id, ".gitconfig", text));
    }

    private void members(String id, Settings settings, Optional<String> outside) {
        // What Capsem put there itself stays.
        ObjectNode inside =
                inside(id, settings.file()).flatMap(AgentSettings::object).orElseGet(Json::object);
        int before = inside.size();
        outside.flatMap(AgentSettings::object)
                .ifPresent(own ->
                        settings.keep().stream().filter(own::has).forEach(name -> inside.set(name, own.get(name))));
        settings.flags().forEach(name -> inside.put(name, true));
        if (inside.size() > before) {
            write(id, settings.file(), Json.text(inside) + "\n");
        }
    }

    private static Optional<ObjectNode> object(String text) {
        try {
            JsonNode node = Json.parse(text);
            return node instanceof ObjectNode object ? Optional.of(object) : Optional.empty();
        } catch (JacksonException | IllegalArgumentException none) {
            return Optional.empty();
        }
    }

    private Optional<String> inside(String id, String file) {
        try {
            return Optional.of(new String(service.readFile(id, file), StandardCharsets.UTF_8));
        } catch (ServiceCallException none) {
            return Optional.empty();
        }
    }

    private void write(String id, String file, String text) {
        service.writeFile(id, file, text.getBytes(StandardCharsets.UTF_8));
    }

    private static Optional<String> text(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return Optional.of(new String(in.readNBytes(BYTES_MAX), StandardCharsets.UTF_8));
        } catch (IOException none) {
            return Optional.empty();
        }
    }

    /// Name and address; helpers for credentials and everything that runs a program stay outside.
    Optional<String> gitIdentity() {
        List<String> lines = Stream.of(home.resolve(".gitconfig"), home.resolve(".config/git/config"))
                .flatMap(file -> text(file).stream())
                .flatMap(AgentSettings::identity)
                .toList();
        return lines.isEmpty() ? Optional.empty() : Optional.of("[user]\n\t" + String.join("\n\t", lines) + "\n");
    }

    private static Stream<String> identity(String config) {
        boolean[] isUser = {false};
        return config
                .lines()
                .map(String::strip)
                .filter(line -> {
                    if (line.startsWith("[")) {
                        isUser[0] = line.replaceAll("\\s", "").equalsIgnoreCase("[user]");
                    }
                    return isUser[0] && line.matches("(?i)(name|email)\\s*=.+");
                })
                .toList()
                .stream();
    }
}
