package dev.capsem.http.io;

import dev.capsem.http.Front;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/// Jetty on a TCP port in front of an API.
public final class LoopbackServer implements AutoCloseable {
    /// Further ones wait until one is closed.
    private static final int CONNECTIONS_MAX = 256;
    /// Of a connection on which nothing is asked and nothing runs.
    private static final Duration IDLE_MAX = Duration.ofMinutes(2);

    private final Server server;
    private final int port;

    private LoopbackServer(Server server, int port) {
        this.server = server;
        this.port = port;
    }

    /// In the words of the service for what is no HTTP.
    ///
    /// @param port 0 for any
    public static LoopbackServer start(String name, String address, int port, Front front) throws IOException {
        return start(name, address, port, front, HttpServer::error);
    }

    /// @param port 0 for any
    /// @param words for what no route sees, because it is no HTTP
    public static LoopbackServer start(String name, String address, int port, Front front, ErrorAnswers.Words words)
            throws IOException {
        Server server = new Server(HttpServer.threads(name));
        ServerConnector connector =
                new ServerConnector(server, 1, 1, new HttpConnectionFactory(HttpServer.configuration()));
        connector.setHost(address);
        connector.setPort(port);
        connector.setIdleTimeout(IDLE_MAX.toMillis());
        server.addConnector(connector);
        server.addBean(new NetworkConnectionLimit(CONNECTIONS_MAX, connector));
        server.setHandler(new HttpAdapter(front, HttpServer.webSockets(server)));
        server.setErrorHandler(new ErrorAnswers(words));
        try {
            server.start();
        } catch (IOException e) {
            new LoopbackServer(server, 0).close();
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("the server " + name + " did not start", e);
        }
        return new LoopbackServer(server, connector.getLocalPort());
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Exception e) {
            throw new IllegalStateException("the server did not stop", e);
        }
    }
}
