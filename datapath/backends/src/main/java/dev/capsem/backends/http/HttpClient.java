package dev.capsem.backends.http;

import dev.capsem.backends.io.Dialer;
import dev.capsem.backends.io.Sockets;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import javax.net.ssl.SSLSocketFactory;

/// Sends requests and keeps connections for the next ones. Safe for many threads.
public final class HttpClient implements AutoCloseable {
    /// Servers drop idle connections after five seconds and more; one that is older is not used again, so that a
    /// request never meets a connection that is about to close.
    private static final Duration IDLE_MAX = Duration.ofSeconds(3);

    private static final int IDLE_CONNECTIONS_MAX = 32;
    private static final int BUFFER_BYTES = 16 * 1024;

    private final Dialer dialer;
    private final SSLSocketFactory tls;
    private final Map<String, Deque<Idle>> idle = new ConcurrentHashMap<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean isClosed;

    private record Idle(Link link, long since) {}

    private record Link(Socket socket, InputStream in) {}

    public HttpClient(Dialer dialer, SSLSocketFactory tls) {
        this.dialer = dialer;
        this.tls = tls;
    }

    /// Told of the socket before anything is sent, so that another thread can end the exchange by closing it.
    public interface Watch {
        Watch NOBODY = socket -> {};

        void began(Closeable exchange);
    }

    /// Follows no redirects. The body of the answer is the caller's to read and close.
    public HttpResponse send(String method, HttpUrl url, HttpFields fields, Optional<byte[]> body, Watch watch)
            throws IOException {
        String origin = (url.isSecure() ? "s" : "p") + url.host() + ":" + url.port();
        Link link = link(origin, url);
        watch.began(link.socket());
        try {
            link.socket().getOutputStream().write(head(method, url, fields, body));
            link.socket().getOutputStream().flush();
            HttpHead head = HttpHead.read(link.in());
            while (head.status() < 200) {
                head = HttpHead.read(link.in());
            }
            BodyStream content = BodyStream.of(link.in(), method, head);
            HttpHead last = head;
            return new HttpResponse(
                    head, content, () -> release(origin, link, content.isComplete() && last.isPersistent()));
        } catch (IOException | RuntimeException e) {
            drop(link);
            throw e;
        }
    }

    /// In one piece, so that a small request is one packet.
    private static byte[] head(String method, HttpUrl url, HttpFields fields, Optional<byte[]> body) {
        StringBuilder head = new StringBuilder();
        head.append(method).append(' ').append(url.target()).append(" HTTP/1.1\r\n");
        head.append("Host: ").append(url.authority()).append("\r\n");
        fields.fields()
                .forEach(field -> head.append(field.name())
                        .append(": ")
                        .append(field.value())
                        .append("\r\n"));
        if (body.isPresent()) {
            head.append("Content-Length: ").append(body.get().length).append("\r\n");
        }
        head.append("\r\n");
        var bytes = new ByteArrayOutputStream();
        bytes.writeBytes(head.toString().getBytes(StandardCharsets.UTF_8));
        body.ifPresent(bytes::writeBytes);
        return bytes.toByteArray();
    }

    private Link link(String origin, HttpUrl url) throws IOException {
        Deque<Idle> waiting = idle.computeIfAbsent(origin, any -> new ConcurrentLinkedDeque<>());
        for (Idle next = waiting.pollFirst(); next != null; next = waiting.pollFirst()) {
            if (System.nanoTime() - next.since() < IDLE_MAX.toNanos()) {
                return next.link();
            }
            drop(next.link());
        }
        Socket socket = dialer.dial(url.host(), url.port());
        if (url.isSecure()) {
            socket = Sockets.secured(socket, url.host(), url.port(), tls);
        }
        open.add(socket);
        if (isClosed) {
            socket.close();
            throw new IOException("the client is closed");
        }
        return new Link(socket, new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES));
    }

    private void release(String origin, Link link, boolean isReusable) {
        Deque<Idle> waiting = idle.computeIfAbsent(origin, any -> new ConcurrentLinkedDeque<>());
        if (isReusable && !isClosed && waiting.size() < IDLE_CONNECTIONS_MAX) {
            waiting.addFirst(new Idle(link, System.nanoTime()));
        } else {
            drop(link);
        }
    }

    private void drop(Link link) {
        open.remove(link.socket());
        close(link.socket());
    }

    @Override
    public void close() {
        isClosed = true;
        open.forEach(HttpClient::close);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is as closed as it will ever be.
        }
    }
}
