package dev.capsem.testkit.http;

import dev.capsem.testkit.tls.OriginCertificate;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/// An HTTP/1.1 server on loopback. A handler decides what goes back, byte by byte if it likes; the log says what came.
public final class HttpOrigin implements AutoCloseable {
    /// Small on purpose: a head of a test fits, and a runaway sender is seen at once.
    private static final int HEAD_BYTES_MAX = 256 * 1024;

    /// Answers one request.
    public interface Handler {
        void handle(Exchange exchange) throws IOException;
    }

    private final ServerSocket listener;
    private final @Nullable SSLContext tls;
    private final Handler handler;
    private final AtomicInteger connections = new AtomicInteger();
    private final List<Received> received = new CopyOnWriteArrayList<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    private HttpOrigin(@Nullable SSLContext tls, Handler handler) {
        this.tls = tls;
        this.handler = handler;
        try {
            listener = new ServerSocket();
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        Thread.ofVirtual().start(this::acceptAll);
    }

    public static HttpOrigin plain(Handler handler) {
        return new HttpOrigin(null, handler);
    }

    public static HttpOrigin secure(OriginCertificate certificate, Handler handler) {
        return new HttpOrigin(certificate.context(), handler);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /// How many connections were opened, whether or not anything was sent over them.
    public int connections() {
        return connections.get();
    }

    /// Connections that are open now.
    public int openConnections() {
        return open.size();
    }

    /// Every request so far, in the order of their ends.
    public List<Received> received() {
        return List.copyOf(received);
    }

    public List<Received> received(String path) {
        return received.stream().filter(one -> one.path().equals(path)).toList();
    }

    private void acceptAll() {
        while (!listener.isClosed()) {
            try {
                Socket socket = listener.accept();
                int number = connections.incrementAndGet();
                open.add(socket);
                Thread.ofVirtual().start(() -> serve(number, socket));
            } catch (IOException closed) {
                // close() ends the loop; anything else shows as a client's failure.
            }
        }
    }

    private void serve(int number, Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            Socket carrier = socket;
            Optional<String> serverName = Optional.empty();
            if (tls != null) {
                SSLSocket secured = (SSLSocket) tls.getSocketFactory().createSocket(socket, null, true);
                secured.setUseClientMode(false);
                SSLParameters parameters = secured.getSSLParameters();
                parameters.setApplicationProtocols(new String[] {"http/1.1"});
                secured.setSSLParameters(parameters);
                secured.startHandshake();
                serverName = serverName(secured);
                carrier = secured;
            }
            InputStream in = new BufferedInputStream(carrier.getInputStream(), 64 * 1024);
            BufferedOutputStream out = new BufferedOutputStream(carrier.getOutputStream(), 64 * 1024);
            while (true) {
                String head = readHead(in);
                if (head.isEmpty()) {
                    break;
                }
                Exchange exchange = new Exchange(number, serverName, head, in, out, socket);
                try {
                    handler.handle(exchange);
                    exchange.finish();
                } finally {
                    received.add(exchange.received());
                }
                if (exchange.isLast()) {
                    break;
                }
            }
            carrier.close();
        } catch (IOException broken) {
            // The log keeps what came before it broke.
        } finally {
            open.remove(socket);
        }
    }

    private static Optional<String> serverName(SSLSocket socket) {
        return ((ExtendedSSLSession) socket.getSession())
                .getRequestedServerNames().stream()
                        .filter(SNIHostName.class::isInstance)
                        .map(name -> ((SNIHostName) name).getAsciiName())
                        .findFirst();
    }

    /// @return the head with its empty line; empty if the connection ended
    private static String readHead(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        int last = -1;
        while (head.length() < HEAD_BYTES_MAX) {
            int next = in.read();
            if (next < 0) {
                return "";
            }
            if (head.isEmpty() && !Character.isLetter(next)) {
                throw new IOException("this is not HTTP");
            }
            head.append((char) next);
            if (next == '\n' && last == '\n') {
                return head.toString();
            }
            if (next != '\r') {
                last = next;
            }
        }
        throw new IOException("a head of more than " + HEAD_BYTES_MAX + " bytes");
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
