package dev.capsem.http.io;

import dev.capsem.http.Front;
import dev.capsem.http.HttpProblem;
import dev.capsem.wire.service.ServiceError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.unixdomain.server.UnixDomainServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;
import tools.jackson.databind.node.ObjectNode;

/// Jetty on a Unix socket in front of the route table. One virtual thread per request; handlers block.
public final class HttpServer implements AutoCloseable {
    private static final int WEBSOCKET_MESSAGE_BYTES_MAX = 1_048_576;
    /// Selectors and the acceptor; requests run on virtual threads.
    private static final int PLATFORM_THREADS_MAX = 16;

    private final Server server;
    private final Path socket;

    private HttpServer(Server server, Path socket) {
        this.server = server;
        this.socket = socket;
    }

    /// Requires: nobody serves the socket, and its directory is private.
    public static HttpServer start(Path socket, Front front) throws IOException {
        Server server = new Server(threads("http"));
        UnixDomainServerConnector connector =
                new UnixDomainServerConnector(server, 1, 1, new HttpConnectionFactory(configuration()));
        // A command may be silent for hours; the peer is on this machine and its death closes the socket.
        connector.setIdleTimeout(0);
        connector.setAcceptQueueSize(512);
        // Bound under another name, made private, then renamed: nobody ever connects to a socket of another mode, and a
        // stale one is replaced in one step.
        Path bound = socket.resolveSibling("." + socket.getFileName() + ".new");
        Files.deleteIfExists(bound);
        connector.setUnixDomainPath(bound);
        server.addConnector(connector);
        server.setHandler(new HttpAdapter(front, webSockets(server)));
        server.setErrorHandler(new ErrorAnswers(HttpServer::error));
        try {
            server.start();
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("the HTTP server did not start", e);
        }
        Files.setPosixFilePermissions(bound, PosixFilePermissions.fromString("rw-------"));
        Files.move(bound, socket, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return new HttpServer(server, socket);
    }

    /// What is no HTTP, in the words of the service.
    static ObjectNode error(int status, String cause) {
        boolean isOurs = HttpStatus.isServerError(status);
        return new ServiceError(
                        cause,
                        (isOurs ? HttpProblem.Code.INTERNAL : HttpProblem.Code.BAD_REQUEST).wireName(),
                        isOurs ? "see `capsem triage`" : "see docs/reference/service-api.md")
                .toJson();
    }

    static QueuedThreadPool threads(String name) {
        QueuedThreadPool threads = new QueuedThreadPool(PLATFORM_THREADS_MAX, 4);
        threads.setName(name);
        threads.setVirtualThreadsExecutor(Thread.ofVirtual().name("request-", 0)::start);
        return threads;
    }

    static HttpConfiguration configuration() {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setSendServerVersion(false);
        configuration.setSendDateHeader(false);
        configuration.setUriCompliance(UriCompliance.UNSAFE);
        return configuration;
    }

    static ServerWebSocketContainer webSockets(Server server) {
        ServerWebSocketContainer webSockets = ServerWebSocketContainer.ensure(server);
        webSockets.setIdleTimeout(Duration.ZERO);
        webSockets.setMaxBinaryMessageSize(WEBSOCKET_MESSAGE_BYTES_MAX);
        webSockets.setMaxTextMessageSize(WEBSOCKET_MESSAGE_BYTES_MAX);
        return webSockets;
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(socket);
            server.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Exception e) {
            throw new IllegalStateException("the HTTP server did not stop", e);
        }
    }
}
