package dev.capsem.process.mcp;

import dev.capsem.mcp.backend.Definitions;
import dev.capsem.process.configuration.ConfigurationInForce;
import dev.capsem.profiles.mcp.McpServer;
import dev.capsem.profiles.mcp.ServerDefinitions;
import dev.capsem.profiles.mcp.ServerTransport;
import dev.capsem.profiles.secret.SecretSource;
import dev.capsem.wire.aggregator.ServerDefinition;
import dev.capsem.wire.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The MCP servers of the session's profile. References to secrets become secrets here, on their way into the pipe.
final class SessionServers implements Definitions {
    private final ConfigurationInForce configuration;
    private final SecretSource secrets;
    private final Function<McpServer, Optional<String>> sockets;
    private final String builtinSocket;

    /// @param sockets where a server that is a program can be connected to
    SessionServers(
            ConfigurationInForce configuration,
            SecretSource secrets,
            String builtinSocket,
            Function<McpServer, Optional<String>> sockets) {
        this.configuration = configuration;
        this.secrets = secrets;
        this.builtinSocket = builtinSocket;
        this.sockets = sockets;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        Writer writer = new OutputStreamWriter(out, StandardCharsets.UTF_8);
        writer.write("[");
        writer.write(Json.text(Json.object()
                .put("name", ServerDefinition.LOCAL)
                .put("source", ServerDefinition.BUILTIN_SOURCE)
                .put("socket", builtinSocket)));
        for (McpServer server : configuration.now().servers()) {
            writer.write(",");
            ServerDefinitions.writeOne(server, sockets.apply(server), secrets, writer)
                    .ifPresent(SessionServers::tell);
        }
        writer.write("]");
        writer.flush();
    }

    /// Whether the aggregator may connect there: to nothing but the hosts that servers of the profile are at.
    static boolean isDestination(List<McpServer> servers, String host, int port) {
        String wanted = destination(host, port);
        return servers.stream()
                .anyMatch(server -> server.isUsable()
                        && server.transport() instanceof ServerTransport.Http http
                        && destination(http.url().text()).filter(wanted::equals).isPresent());
    }

    private static String destination(String host, int port) {
        return host.toLowerCase(Locale.ROOT) + ":" + port;
    }

    /// Host and port of a URL are always written out, whatever else of it is a reference.
    private static Optional<String> destination(String url) {
        try {
            int path = url.indexOf('/', url.indexOf("://") + 3);
            URI uri = URI.create(path < 0 ? url.replaceFirst("[?#].*", "") : url.substring(0, path));
            int usual = uri.getScheme().equalsIgnoreCase("http") ? 80 : 443;
            String host = uri.getHost().replaceFirst("^\\[(.*)]$", "$1");
            return Optional.of(destination(host, uri.getPort() < 0 ? usual : uri.getPort()));
        } catch (IllegalArgumentException | NullPointerException e) {
            // Not something that could be connected to.
            return Optional.empty();
        }
    }

    private static void tell(ServerDefinitions.Missing missing) {
        logger().atWarn().addKeyValue("reason", missing.toString()).log("mcp.server.secret_missing");
    }

    private static Logger logger() {
        return LoggerFactory.getLogger(SessionServers.class);
    }
}
