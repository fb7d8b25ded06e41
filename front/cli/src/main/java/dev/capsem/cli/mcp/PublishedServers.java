package dev.capsem.cli.mcp;

import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.screen.Printable;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonShapeException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// MCP servers as their READMEs give them: `{"mcpServers": {NAME: {…}}}`, `{NAME: {…}}`, `{"servers": …}`, or one
/// entry alone, whose name the person says.
final class PublishedServers {
    private static final String SHAPE = "as in {\"mcpServers\": {\"docs\": {\"url\": \"https://…\"}}}";

    /// Where credentials stand in such entries.
    private static final Pattern REFERENCE =
            Pattern.compile(".*\\$\\{(secret:[a-z0-9._-]+|env:[A-Za-z0-9_]+)}.*|env:[A-Za-z_][A-Za-z0-9_]*");

    private static final Pattern CREDENTIAL =
            Pattern.compile("(?i).*(token|secret|password|passwd|api[_-]?key|authorization|credential).*");

    private PublishedServers() {}

    static Map<String, ObjectNode> read(String text, Optional<String> name) {
        if (!(parsed(text) instanceof ObjectNode document)) {
            throw mistake("this is not a JSON object");
        }
        if (isServer(document)) {
            String id = name.orElseThrow(
                    () -> CliProblem.usage("the server has no name", "give it one: capsem mcp add FILE --name docs"));
            return Map.of(id, document);
        }
        JsonNode servers = document;
        for (String wrapper : new String[] {"mcpServers", "servers"}) {
            servers = document.get(wrapper) instanceof ObjectNode inner ? inner : servers;
        }
        Map<String, ObjectNode> entries = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : servers.properties()) {
            if (!(entry.getValue() instanceof ObjectNode server) || !isServer(server)) {
                throw mistake("\"" + Printable.line(entry.getKey()) + "\" is not a server: it has no url or command");
            }
            entries.put(entry.getKey(), server);
        }
        if (entries.isEmpty()) {
            throw mistake("there is no server in it");
        }
        if (name.isPresent() && entries.size() > 1) {
            throw CliProblem.usage("--name is for one server, and there are " + entries.size(), "leave it out");
        }
        return name.isPresent() ? Map.of(name.get(), entries.values().iterator().next()) : entries;
    }

    /// The first member that seems to hold a credential itself instead of a reference, as `headers.Authorization`.
    static Optional<String> plainCredential(ObjectNode server) {
        JsonNode bearer = server.get("bearerToken");
        if (bearer != null && isPlain(bearer)) {
            return Optional.of("bearerToken");
        }
        for (String section : new String[] {"env", "headers"}) {
            for (Map.Entry<String, JsonNode> value : server.path(section).properties()) {
                if (CREDENTIAL.matcher(value.getKey()).matches() && isPlain(value.getValue())) {
                    return Optional.of(section + "." + value.getKey());
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isPlain(JsonNode value) {
        return value.isString()
                && !value.stringValue().isEmpty()
                && !REFERENCE.matcher(value.stringValue()).matches();
    }

    private static boolean isServer(ObjectNode node) {
        return node.path("url").isString() || node.path("command").isString();
    }

    private static JsonNode parsed(String text) {
        try {
            return Json.parse(text);
        } catch (JsonShapeException malformed) {
            throw mistake("this is " + malformed.reason());
        }
    }

    private static CliProblem mistake(String cause) {
        return CliProblem.usage(cause, SHAPE);
    }
}
