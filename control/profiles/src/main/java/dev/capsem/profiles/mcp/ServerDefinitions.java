package dev.capsem.profiles.mcp;

import dev.capsem.profiles.secret.Secret;
import dev.capsem.profiles.secret.SecretSource;
import dev.capsem.profiles.secret.SecretTemplate;
import dev.capsem.source.json.JsonValue;
import dev.capsem.source.json.JsonWriter;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Writes server definitions for the aggregator straight into its pipe. This is where references become secrets,
/// one server at a time, and nothing keeps them.
public final class ServerDefinitions {
    private ServerDefinitions() {}

    /// A server that was written as disabled, since one of its secrets is not there.
    public record Missing(ServerName server, String reference) {
        @Override
        public String toString() {
            return server + " needs " + reference + ", which is not there";
        }
    }

    /// Writes a JSON array without a line end. Servers that need a program carry `command`; the aggregator gets
    /// those as connected sockets and never starts anything.
    public static List<Missing> write(Collection<McpServer> servers, SecretSource secrets, Writer out)
            throws IOException {
        List<Missing> missing = new ArrayList<>();
        String separator = "[";
        for (McpServer server : servers) {
            out.write(separator);
            writeOne(server, Optional.empty(), secrets, out).ifPresent(missing::add);
            separator = ",";
        }
        out.write(servers.isEmpty() ? "[]" : "]");
        return missing;
    }

    /// Writes one definition.
    ///
    /// @param socket where a program's standard input and output can be connected to
    public static Optional<Missing> writeOne(
            McpServer server, Optional<String> socket, SecretSource secrets, Writer out) throws IOException {
        Definition definition = new Definition(secrets);
        out.write(JsonWriter.compact(definition.json(server, socket)));
        return definition.missing.map(reference -> new Missing(server.name(), reference));
    }

    /// One definition while it is written.
    private static final class Definition {
        private final SecretSource secrets;
        private Optional<String> missing = Optional.empty();

        Definition(SecretSource secrets) {
            this.secrets = secrets;
        }

        JsonValue.Members json(McpServer server, Optional<String> socket) {
            JsonValue.Builder json =
                    JsonValue.members().put("name", server.name().value());
            if (server.isUsable()) {
                switch (server.transport()) {
                    case ServerTransport.Http http -> {
                        json.put("url", reveal(http.url())).put("transport", http.isSse() ? "sse" : "http");
                        json.put("headers", reveal(http.headers()));
                        http.bearerToken().ifPresent(token -> json.put("bearer_token", reveal(token)));
                    }
                    case ServerTransport.Stdio stdio -> json.put("command", stdio.command());
                }
                if (socket.isPresent()) {
                    json.put("socket", socket.get());
                }
            }
            return json.put("enabled", server.isUsable() && missing.isEmpty())
                    .put("source", server.origin())
                    .put("unsupported_stdio", server.unsupportedStdio())
                    .put("allowed_tools", server.allowedTools())
                    .build();
        }

        private String reveal(SecretTemplate template) {
            if (template.isPlain()) {
                return template.text();
            }
            Optional<Secret> secret = template.resolve(secrets);
            if (secret.isEmpty()) {
                missing = Optional.of(template.references().getFirst().text());
            }
            return secret.map(Secret::reveal).orElse("");
        }

        private JsonValue.Members reveal(Map<String, SecretTemplate> templates) {
            Map<String, JsonValue> values = new LinkedHashMap<>();
            templates.forEach((name, template) -> values.put(name, JsonValue.of(reveal(template))));
            return new JsonValue.Members(values, JsonValue.BUILT);
        }
    }
}
