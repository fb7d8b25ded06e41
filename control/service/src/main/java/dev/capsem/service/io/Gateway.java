package dev.capsem.service.io;

import dev.capsem.service.http.Front;
import dev.capsem.service.v1.ApiProblem;
import dev.capsem.service.v1.gateway.Endpoint;
import dev.capsem.service.v1.gateway.GatewaySettings;
import dev.capsem.service.v1.gateway.GatewaySwitch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/// Jetty on a TCP port of loopback, in front of the sandbox-server API and nothing else. The port is in
/// `run/gateway.port` while it serves.
public final class Gateway implements GatewaySwitch, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);
    /// Further ones wait until one is closed.
    private static final int CONNECTIONS_MAX = 256;
    /// Of a connection on which nothing is asked and nothing runs.
    private static final Duration IDLE_MAX = Duration.ofMinutes(2);

    private final Path portFile;
    private final Endpoint endpoint;
    private final Function<GatewaySettings, Front> guard;
    private @Nullable Server serving;

    public Gateway(Path portFile, Endpoint endpoint, Function<GatewaySettings, Front> guard) {
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
        Server server = new Server(HttpServer.threads("gateway"));
        ServerConnector connector =
                new ServerConnector(server, 1, 1, new HttpConnectionFactory(HttpServer.configuration()));
        connector.setHost(settings.address());
        connector.setPort(settings.port());
        connector.setIdleTimeout(IDLE_MAX.toMillis());
        server.addConnector(connector);
        server.addBean(new NetworkConnectionLimit(CONNECTIONS_MAX, connector));
        server.setHandler(new HttpAdapter(guard.apply(settings), HttpServer.webSockets(server)));
        server.setErrorHandler(new ErrorAnswers(Gateway::error));
        serving = server;
        try {
            server.start();
            Files.writeString(portFile, Integer.toString(connector.getLocalPort()));
            endpoint.open(settings.url(connector.getLocalPort()));
            LOG.info("the gateway serves at {}", settings.url(connector.getLocalPort()));
        } catch (IOException e) {
            close();
            endpoint.failed(settings.url(settings.port()) + " cannot be had: " + e.getMessage());
            throw new UncheckedIOException(e);
        } catch (Exception e) {
            throw new IllegalStateException("the gateway did not start", e);
        }
    }

    private static ObjectNode error(int status, String cause) {
        return (HttpStatus.isServerError(status)
                        ? new ApiProblem(ApiProblem.Code.INTERNAL, cause, "see `capsem triage` on the server's machine")
                        : new ApiProblem(ApiProblem.Code.INVALID_INPUT, cause, "send HTTP/1.1"))
                .toJson();
    }

    @Override
    public synchronized void close() {
        endpoint.closed();
        try {
            Files.deleteIfExists(portFile);
            if (serving != null) {
                serving.stop();
                serving = null;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Exception e) {
            throw new IllegalStateException("the gateway did not stop", e);
        }
    }
}
