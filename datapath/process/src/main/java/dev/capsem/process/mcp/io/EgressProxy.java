package dev.capsem.process.mcp.io;

import dev.capsem.network.http.upstream.UpstreamProxy;
import dev.capsem.wire.io.Deadline;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.io.UnixListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The only way out for a program behind MCP: a proxy, for hosts that somebody else allows. What flows
/// afterwards is not looked at; with TLS it could not be.
public final class EgressProxy implements AutoCloseable {
    private static final int CONNECTIONS_MAX = 256;
    private static final int HEAD_BYTES_MAX = 4 * 1024;
    private static final int CHUNK_BYTES = 32 * 1024;
    private static final Duration HEAD_TIME_MAX = Duration.ofSeconds(10);
    private static final Duration CONNECT_TIME_MAX = Duration.ofSeconds(10);
    private static final String MODE = "rw-rw-rw-";
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /// Decides, and puts on record what it refuses.
    public interface Gate {
        /// How to get there, or nothing. May wait for a person.
        Optional<Route> allows(String host, int port) throws InterruptedException;
    }

    /// @param proxy who is at that address and has to be asked for the way on
    public record Route(InetSocketAddress address, Optional<UpstreamProxy> proxy) {}

    /// @param isTunnel whether what came so far was for us, not for the other end
    record Destination(String host, int port, boolean isTunnel) {}

    private final UnixListener listener;
    private final Gate gate;
    private final Semaphore places = new Semaphore(CONNECTIONS_MAX);

    private EgressProxy(UnixListener listener, Gate gate) {
        this.listener = listener;
        this.gate = gate;
    }

    /// @param socket in a directory that is ours alone
    public static EgressProxy open(Path socket, Gate gate, TaskScope scope) throws IOException {
        EgressProxy door = new EgressProxy(UnixListener.bind(socket, MODE), gate);
        scope.start(() -> door.accept(scope));
        return door;
    }

    public Path socket() {
        return listener.path();
    }

    @Override
    public void close() {
        listener.close();
    }

    private void accept(TaskScope scope) {
        try {
            while (true) {
                places.acquire();
                Optional<SocketChannel> channel = listener.accept();
                if (channel.isEmpty()) {
                    return;
                }
                scope.start(() -> serve(channel.get(), scope));
            }
        } catch (IOException e) {
            logger().atWarn().addKeyValue("reason", e.getMessage()).log("mcp.egress.door_failed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(SocketChannel inside, TaskScope scope) {
        try (inside) {
            ByteBuffer received = ByteBuffer.allocate(HEAD_BYTES_MAX);
            Optional<Destination> wanted = destination(inside, received);
            if (wanted.isEmpty()) {
                answer(inside, "400 Bad Request");
                return;
            }
            Optional<Route> route =
                    gate.allows(wanted.get().host(), wanted.get().port());
            if (route.isEmpty()) {
                answer(inside, "403 Forbidden");
                return;
            }
            tunnel(inside, received, route.get(), wanted.get(), scope);
        } catch (IOException e) {
            // One of the ends is gone: its own business.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            places.release();
        }
    }

    private static void tunnel(SocketChannel inside, ByteBuffer more, Route route, Destination wanted, TaskScope scope)
            throws IOException {
        try (SocketChannel outside = connect(route.address())) {
            ByteBuffer early = NOTHING;
            if (route.proxy().isPresent()) {
                early = askProxy(outside, route.proxy().get(), wanted);
            }
            if (wanted.isTunnel()) {
                answer(inside, "200 Connection established");
            }
            write(inside, early);
            write(outside, more);
            var upward = scope.fork(() -> {
                pump(inside, outside);
                return true;
            });
            try {
                pump(outside, inside);
            } finally {
                // Whoever said the last word is not made to wait for the other's.
                inside.close();
                upward.cancel(true);
            }
        } catch (IOException e) {
            if (inside.isOpen()) {
                answer(inside, "502 " + (e instanceof ProxyRefusal ? e.getMessage() : "Bad Gateway"));
            }
        }
    }

    /// What came behind the proxy's answer, if it lets us through.
    private static ByteBuffer askProxy(SocketChannel proxy, UpstreamProxy known, Destination wanted)
            throws IOException {
        String target =
                (wanted.host().indexOf(':') >= 0 ? "[" + wanted.host() + "]" : wanted.host()) + ":" + wanted.port();
        String credentials = known.credentials()
                .map(each -> "Proxy-Authorization: " + each.header() + "\r\n")
                .orElse("");
        String request = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n" + credentials + "\r\n";
        ByteBuffer received = ByteBuffer.allocate(HEAD_BYTES_MAX);
        try (Deadline _ = Deadline.of(proxy, CONNECT_TIME_MAX)) {
            write(proxy, ByteBuffer.wrap(request.getBytes(StandardCharsets.ISO_8859_1)));
            while (received.hasRemaining() && proxy.read(received) >= 0) {
                String text = text(received);
                int end = text.indexOf("\r\n\r\n");
                if (end >= 0) {
                    if (!text.matches("(?s)HTTP/1\\.[01] 2[0-9][0-9].*")) {
                        throw new ProxyRefusal("the company's proxy says no"
                                + (text.matches("(?s)HTTP/1\\.[01] 407.*")
                                        ? ": check network.upstream_proxy_credentials"
                                        : ""));
                    }
                    return received.flip().position(end + 4);
                }
            }
        }
        throw new ProxyRefusal("the company's proxy gives no answer");
    }

    /// Its message goes to the program.
    private static final class ProxyRefusal extends IOException {
        private static final long serialVersionUID = 1L;

        ProxyRefusal(String message) {
            super(message);
        }
    }

    private static SocketChannel connect(InetSocketAddress to) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try (Deadline _ = Deadline.of(channel, CONNECT_TIME_MAX)) {
            channel.connect(to);
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static void pump(SocketChannel from, SocketChannel to) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
        while (from.read(chunk) >= 0) {
            chunk.flip();
            write(to, chunk);
            chunk.clear();
        }
        to.shutdownOutput();
    }

    private static void write(SocketChannel to, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    private static void answer(SocketChannel to, String status) throws IOException {
        write(to, ByteBuffer.wrap(("HTTP/1.1 " + status + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII)));
    }

    /// Empty if it is nothing that a proxy understands. Leaves in `received` what is meant for the other end.
    private static Optional<Destination> destination(SocketChannel from, ByteBuffer received) throws IOException {
        try (Deadline _ = Deadline.of(from, HEAD_TIME_MAX)) {
            while (received.hasRemaining() && from.read(received) >= 0) {
                String text = text(received);
                int end = text.indexOf("\r\n\r\n");
                if (end >= 0) {
                    Optional<Destination> wanted = parse(text.substring(0, text.indexOf("\r\n")));
                    received.flip().position(wanted.isPresent() && wanted.get().isTunnel() ? end + 4 : 0);
                    return wanted;
                }
            }
            return Optional.empty();
        }
    }

    private static String text(ByteBuffer received) {
        return StandardCharsets.ISO_8859_1.decode(received.duplicate().flip()).toString();
    }

    /// `CONNECT host:port HTTP/1.1`, or a request for `http://host:port/path` as clients send it to a proxy.
    static Optional<Destination> parse(String line) {
        String[] words = line.split(" ", -1);
        if (words.length != 3) {
            return Optional.empty();
        }
        boolean isTunnel = words[0].equals("CONNECT");
        String url = isTunnel ? "http://" + words[1] : words[1];
        try {
            URI uri = URI.create(url);
            if (!"http".equals(uri.getScheme()) || uri.getHost() == null || (isTunnel && uri.getPort() < 0)) {
                return Optional.empty();
            }
            int port = uri.getPort() < 0 ? 80 : uri.getPort();
            String host = uri.getHost().replaceFirst("^\\[(.*)]$", "$1");
            return port < 1 || port > 65_535 ? Optional.empty() : Optional.of(new Destination(host, port, isTunnel));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Logger logger() {
        return LoggerFactory.getLogger(EgressProxy.class);
    }
}
