package dev.capsem.sandboxserver.io;

import dev.capsem.http.Front;
import dev.capsem.http.io.LoopbackServer;
import dev.capsem.sandboxserver.gateway.GatewayEndpoint;
import dev.capsem.sandboxserver.gateway.GatewaySettings;
import dev.capsem.sandboxserver.gateway.GatewaySwitch;
import dev.capsem.sandboxserver.protocol.ApiProblem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/// Serves the sandbox-server API, and nothing else, on a TCP port of loopback. The port is in `run/gateway.port` while
/// it serves.
public final class Gateway implements GatewaySwitch, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
    private static final int SERVER_ERROR_MIN = 500;

    private final Path portFile;
    private final GatewayEndpoint endpoint;
    private final Function<GatewaySettings, Front> guard;
    private @Nullable LoopbackServer serving;

    public Gateway(Path portFile, GatewayEndpoint endpoint, Function<GatewaySettings, Front> guard) {
        this.portFile = portFile;
        this.endpoint = endpoint;
        this.guard = guard;
    }

    @Override
    public synchronized void set(GatewaySettings settings) {
        close();
        if (!settings.enabled()) {
            return;
        }
        try {
            LoopbackServer server = LoopbackServer.start(
                    "gateway", settings.address(), settings.port(), guard.apply(settings), Gateway::error);
            serving = server;
            Files.writeString(portFile, Integer.toString(server.port()));
            endpoint.open(settings.url(server.port()));
            LOG.info("the gateway serves at {}", settings.url(server.port()));
        } catch (IOException e) {
            close();
            endpoint.failed(settings.url(settings.port()) + " cannot be had: " + e.getMessage());
            throw new UncheckedIOException(e);
        }
    }

    private static ObjectNode error(int status, String cause) {
        return (status >= SERVER_ERROR_MIN
                        ? new ApiProblem(ApiProblem.Code.INTERNAL, cause, "see `capsem triage` on the server's machine")
                        : new ApiProblem(ApiProblem.Code.INVALID_INPUT, cause, "send HTTP/1.1"))
                .toJson();
    }

    @Override
    public synchronized void close() {
        endpoint.closed();
        try {
            Files.deleteIfExists(portFile);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        LoopbackServer server = serving;
        if (server != null) {
            server.close();
            serving = null;
        }
    }
}
