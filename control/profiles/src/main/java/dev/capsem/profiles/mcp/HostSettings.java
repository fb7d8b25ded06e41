package dev.capsem.profiles.mcp;

import dev.capsem.profiles.secret.Secret;
import dev.capsem.profiles.secret.SecretRef;
import dev.capsem.profiles.secret.SecretTemplate;
import dev.capsem.source.Layer;
import dev.capsem.source.LineIndex;
import dev.capsem.source.Place;
import dev.capsem.source.Problem;
import dev.capsem.source.Problems;
import dev.capsem.source.SourceText;
import dev.capsem.source.json.JsonReader;
import dev.capsem.source.json.JsonReading;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.tree.TomlTree;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/// Finds MCP servers in the settings of an AI tool. Values of headers, variables and arguments may be tokens, so
/// none of them is copied: entries hold references into the settings.
public final class HostSettings {
    private final HostTool tool;
    private final Problems problems = new Problems();
    private final List<Found> found = new ArrayList<>();

    /// A server and where it is written.
    public record Found(McpServer server, Place place) {}

    /// The settings of one tool.
    public record Detected(List<Found> servers, List<Problem> problems) {
        public Detected {
            servers = List.copyOf(servers);
            problems = List.copyOf(problems);
        }
    }

    private HostSettings(HostTool tool) {
        this.tool = tool;
    }

    /// Never throws; what cannot be read is a warning, since nothing depends on these files.
    public static Detected detect(HostTool tool, String text) {
        HostSettings settings = new HostSettings(tool);
        settings.read(text);
        return new Detected(settings.found, settings.problems.list());
    }

    /// The value that a reference names, if it is still there.
    public static Optional<Secret> value(HostTool tool, String text, String pointer) {
        Optional<JsonValue> at = tree(tool, text, new Problems()).map(tree -> (JsonValue) tree.root());
        for (String step : pointer.substring(Math.min(1, pointer.length())).split("/", -1)) {
            String name = step.replace("~1", "/").replace("~0", "~");
            at = at.flatMap(json -> below(json, name));
        }
        return at.filter(json ->
                        json instanceof JsonValue.Text value && !value.value().isEmpty())
                .map(json -> new Secret(((JsonValue.Text) json).value()));
    }

    private static Optional<JsonValue> below(JsonValue json, String name) {
        return switch (json) {
            case JsonValue.Members members -> members.get(name);
            case JsonValue.Items items ->
                name.matches("[0-9]{1,4}")
                                && Integer.parseInt(name) < items.list().size()
                        ? Optional.of(items.list().get(Integer.parseInt(name)))
                        : Optional.empty();
            default -> Optional.empty();
        };
    }

    private record Tree(JsonValue.Members root, IntFunction<Place> places) {}

    private static Optional<Tree> tree(HostTool tool, String text, Problems problems) {
        if (!tool.isJson()) {
            SourceText source = new SourceText(tool.file(), Layer.DETECTED, text);
            Problems faults = new Problems();
            Optional<TomlTree> toml = TomlTree.parse(source, faults);
            faults.list().forEach(fault -> problems.warning(fault.place(), fault.message()));
            return toml.map(tree -> new Tree(tree.fields(problems).members(), tree::place));
        }
        return switch (JsonReader.read(text)) {
            case JsonReading.Malformed malformed -> {
                problems.warning(
                        new Place(tool.file(), malformed.line(), malformed.column()),
                        "not JSON: " + malformed.reason() + ".");
                yield Optional.empty();
            }
            case JsonReading.Parsed parsed -> {
                LineIndex lines = parsed.document().lines();
                IntFunction<Place> places = offset -> Place.at(tool.file(), lines.position(Math.max(0, offset)));
                yield parsed.document().root() instanceof JsonValue.Members root
                        ? Optional.of(new Tree(root, places))
                        : Optional.empty();
            }
        };
    }

    private void read(String text) {
        Optional<Tree> tree = tree(tool, text, problems);
        if (tree.isEmpty()
                || !(tree.get().root().get(tool.section()).orElse(JsonValue.none()) instanceof JsonValue.Members all)) {
            return;
        }
        all.map().forEach((name, entry) -> {
            Place place = tree.get().places().apply(entry.offset());
            Optional<ServerName> server = ServerName.normalize(name);
            if (server.isEmpty() || !(entry instanceof JsonValue.Members members)) {
                problems.warning(place, "an MCP server is left out: its name or shape does not fit.");
                return;
            }
            String pointer =
                    "/" + tool.section() + "/" + name.replace("~", "~0").replace("/", "~1");
            server(server.get(), members, pointer)
                    .ifPresentOrElse(
                            value -> found.add(new Found(value, place)),
                            () -> problems.warning(place, server.get() + " is left out: no command and no valid url."));
        });
    }

    private Optional<McpServer> server(ServerName name, JsonValue.Members entry, String pointer) {
        Optional<String> command = text(entry, "command");
        Optional<String> url = text(entry, "httpUrl").or(() -> text(entry, "url"));
        if (command.isPresent()) {
            return Optional.of(stdio(name, command.get(), entry, pointer));
        }
        return url.flatMap(address -> http(name, address, entry, pointer));
    }

    private McpServer stdio(ServerName name, String command, JsonValue.Members entry, String pointer) {
        List<SecretTemplate> args = new ArrayList<>();
        if (entry.get("args").orElse(JsonValue.none()) instanceof JsonValue.Items items) {
            for (int i = 0; i < items.list().size(); i++) {
                args.add(reference(pointer + "/args/" + i));
            }
        }
        ServerTransport transport = new ServerTransport.Stdio(command, args, references(entry, "env", pointer));
        return entry(name, transport, isEnabled(entry))
                .withObstacle("it starts a program, and nothing says what that may do. Add [mcpServers." + name
                        + "] with the same command and [mcpServers." + name
                        + ".capsem] capabilities = [...] to your profile.");
    }

    private Optional<McpServer> http(ServerName name, String url, JsonValue.Members entry, String pointer) {
        if (!url.matches("https?://[^\\s]+")) {
            return Optional.empty();
        }
        Map<String, SecretTemplate> headers = new LinkedHashMap<>(references(entry, "headers", pointer));
        headers.putAll(references(entry, "http_headers", pointer));
        // Gemini's `url` means SSE and its `httpUrl` streamable HTTP; the others say it in `type`.
        boolean isSse = tool == HostTool.GEMINI
                ? text(entry, "httpUrl").isEmpty()
                : text(entry, "type").orElse("http").equals("sse");
        Optional<String> bare = bareUrl(url);
        if (bare.isEmpty()) {
            return Optional.empty();
        }
        McpServer server = entry(
                name,
                new ServerTransport.Http(SecretTemplate.words(bare.get()), isSse, headers, Optional.empty()),
                isEnabled(entry));
        if (!bare.get().equals(url)) {
            server = server.withObstacle("its address carries more than a path, which may hold a token. Add it to your"
                    + " profile, with ${secret:NAME} for the token.");
        }
        Optional<String> variable = text(entry, "bearer_token_env_var");
        if (variable.isPresent()) {
            server = server.withObstacle("its token is in the environment of " + tool.origin()
                    + ". Run: capsem secret set " + name + "-token, and add the server to your profile with"
                    + " bearerToken = \"${secret:" + name + "-token}\".");
        }
        return Optional.of(server);
    }

    /// Without query, fragment, user and password.
    private static Optional<String> bareUrl(String url) {
        try {
            URI uri = URI.create(url);
            if (uri.getHost() == null) {
                return Optional.empty();
            }
            String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
            return Optional.of(uri.getScheme() + "://" + uri.getHost() + port + uri.getRawPath());
        } catch (IllegalArgumentException malformed) {
            return Optional.empty();
        }
    }

    private McpServer entry(ServerName name, ServerTransport transport, boolean enabled) {
        return new McpServer(name, transport, enabled, false, List.of(), List.of(), tool.origin(), Optional.empty());
    }

    private Map<String, SecretTemplate> references(JsonValue.Members entry, String key, String pointer) {
        Map<String, SecretTemplate> references = new LinkedHashMap<>();
        if (entry.get(key).orElse(JsonValue.none()) instanceof JsonValue.Members values) {
            values.map().keySet().forEach(name -> {
                String step = name.replace("~", "~0").replace("/", "~1");
                references.put(name, reference(pointer + "/" + key + "/" + step));
            });
        }
        return references;
    }

    private SecretTemplate reference(String pointer) {
        return SecretTemplate.of(new SecretRef.OfHostTool(tool.id(), pointer));
    }

    private static boolean isEnabled(JsonValue.Members entry) {
        boolean isOff =
                entry.get("enabled").orElse(JsonValue.none()) instanceof JsonValue.Bool enabled && !enabled.value();
        boolean isDisabled =
                entry.get("disabled").orElse(JsonValue.none()) instanceof JsonValue.Bool disabled && disabled.value();
        return !isOff && !isDisabled;
    }

    private static Optional<String> text(JsonValue.Members entry, String key) {
        return entry.get(key)
                .filter(value ->
                        value instanceof JsonValue.Text text && !text.value().isBlank())
                .map(value -> ((JsonValue.Text) value).value());
    }
}
