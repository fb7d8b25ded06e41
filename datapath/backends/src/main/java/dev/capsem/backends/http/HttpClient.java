package dev.capsem.backends.http;

import dev.capsem.backends.io.Connector;
import dev.capsem.backends.io.ServerLink;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;

/// Sends requests and keeps connections for the next ones. Safe for many threads.
public final class HttpClient implements AutoCloseable {
    /// Servers drop idle connections after five seconds and more; one that is older is not used again, so that a
    /// request never meets a connection that is about to close.
    private static final Duration IDLE_MAX = Duration.ofSeconds(3);

    private static final int IDLE_CONNECTIONS_MAX = 32;
    private static final int BUFFER_BYTES = 16 * 1024;

    private final Connector connector;
    private final Map<String, Deque<Idle>> idle = new ConcurrentHashMap<>();
    private final Set<ServerLink> open = ConcurrentHashMap.newKeySet();
    private volatile boolean isClosed;

    private record Idle(Line line, long since) {}

    /// A connection with what was read ahead of it.
    private record Line(ServerLink link, InputStream in) {}

    public HttpClient(Connector connector) {
        this.connector = connector;
    }

    /// Told when an exchange has a connection and when it gives it back, so that another thread can end the exchange by
    /// closing it, and never somebody else's.
    public interface Watch {
        Watch NOBODY = new Watch() {
            @Override
            public void began(Closeable exchange) {}

            @Override
            public void ended() {}
        };

        void began(Closeable exchange);

        void ended();
    }

    /// Follows no redirects. The body of the answer is the caller's to read and close.
    public HttpResponse send(String method, HttpUrl url, HttpFields fields, Optional<byte[]> body, Watch watch)
            throws IOException {
        String origin = (url.isSecure() ? "s" : "p") + url.host() + ":" + url.port();
        byte[] request = head(method, url, fields, body);
        Optional<Line> kept = kept(origin);
        if (kept.isEmpty()) {
            return exchange(method, origin, fresh(url), request, watch);
        }
        try {
            return exchange(method, origin, kept.get(), request, watch);
        } catch (UnheardException e) {
            return exchange(method, origin, fresh(url), request, watch);
        }
    }

    /// The request did not get through in full, or may be made twice: nobody can have acted on it, or nobody minds.
    private static final class UnheardException extends IOException {
        private static final long serialVersionUID = 1L;

        UnheardException(IOException cause) {
            super(cause.getMessage(), cause);
        }
    }

    private HttpResponse exchange(String method, String origin, Line line, byte[] request, Watch watch)
            throws IOException {
        watch.began(line.link());
        try {
            write(line, request);
            HttpHead head = answer(method, line);
            BodyStream content = BodyStream.of(line.in(), method, head);
            return new HttpResponse(head, content, () -> {
                watch.ended();
                release(origin, line, content.isComplete() && head.isPersistent());
            });
        } catch (IOException | RuntimeException e) {
            watch.ended();
            drop(line);
            throw e;
        }
    }

    private static void write(Line line, byte[] request) throws IOException {
        try {
            line.link().output().write(request);
            line.link().output().flush();
        } catch (IOException e) {
            throw line.link().isClosed() ? e : new UnheardException(e);
        }
    }

    /// A GET that met the end of a kept connection is nobody's loss.
    private static HttpHead answer(String method, Line line) throws IOException {
        try {
            HttpHead head = HttpHead.read(line.in());
            while (head.status() < 200) {
                head = HttpHead.read(line.in());
            }
            return head;
        } catch (IOException e) {
            throw method.equals("GET") && !line.link().isClosed() ? new UnheardException(e) : e;
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

    /// One that is still good. Those that the server ended meanwhile, or that are about to end, are dropped.
    private Optional<Line> kept(String origin) {
        Deque<Idle> waiting = idle.computeIfAbsent(origin, any -> new ConcurrentLinkedDeque<>());
        for (Idle next = waiting.pollFirst(); next != null; next = waiting.pollFirst()) {
            if (System.nanoTime() - next.since() < IDLE_MAX.toNanos()
                    && !next.line().link().isStale()) {
                return Optional.of(next.line());
            }
            drop(next.line());
        }
        return Optional.empty();
    }

    private Line fresh(HttpUrl url) throws IOException {
        ServerLink link = connector.connect(url.host(), url.port(), url.isSecure());
        open.add(link);
        if (isClosed) {
            open.remove(link);
            link.close();
            throw new IOException("the client is closed");
        }
        return new Line(link, new BufferedInputStream(link.input(), BUFFER_BYTES));
    }

    private void release(String origin, Line line, boolean isReusable) {
        Deque<Idle> waiting = idle.computeIfAbsent(origin, any -> new ConcurrentLinkedDeque<>());
        if (isReusable && !isClosed && !line.link().isClosed() && waiting.size() < IDLE_CONNECTIONS_MAX) {
            waiting.addFirst(new Idle(line, System.nanoTime()));
        } else {
            drop(line);
        }
    }

    private void drop(Line line) {
        open.remove(line.link());
        close(line.link());
    }

    @Override
    public void close() {
        isClosed = true;
        open.forEach(HttpClient::close);
    }

    private static void close(ServerLink link) {
        try {
            link.close();
        } catch (IOException e) {
            // It is as closed as it will ever be.
        }
    }
}
