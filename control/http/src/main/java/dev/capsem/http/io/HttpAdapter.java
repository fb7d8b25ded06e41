package dev.capsem.http.io;

import dev.capsem.http.Front;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.HttpProblem;
import dev.capsem.http.Request;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ServiceError;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;
import org.eclipse.jetty.websocket.server.WebSocketCreator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.exc.JacksonIOException;

/// Jetty's request → ours, our answer → Jetty's response; the one place that catches everything.
public final class HttpAdapter extends Handler.Abstract {
    private static final Logger LOG = LoggerFactory.getLogger(HttpAdapter.class);

    /// Of a body that is refused; whoever sends more learns it from the closed connection.
    private static final long DRAINED_BYTES_MAX = 64L * 1_048_576;

    private static final Duration DRAINED_FOR = Duration.ofSeconds(2);

    private static final int BAD_REQUEST = 400;
    private static final int UNAUTHORIZED = 401;

    private final Front front;
    private final ServerWebSocketContainer webSockets;

    HttpAdapter(Front front, ServerWebSocketContainer webSockets) {
        super(InvocationType.BLOCKING);
        this.front = front;
        this.webSockets = webSockets;
    }

    @Override
    public boolean handle(org.eclipse.jetty.server.Request request, Response response, Callback callback) {
        // A command may be silent for hours: only connections on which nothing runs time out.
        request.addIdleTimeoutListener(_ -> false);
        try {
            HttpAnswer answer = bare(front.handle(read(request, response)), response);
            if (answer instanceof HttpAnswer.Upgrade upgrade) {
                return upgrade(upgrade, request, response, callback);
            }
            write(answer, request, response);
            callback.succeeded();
            if (answer instanceof HttpAnswer.Last last) {
                last.then().run();
            }
        } catch (HttpProblem e) {
            refuse(e.code().status(), e.error(), request, response, callback);
        } catch (HttpAnswer.ClientGoneException | EofException e) {
            // Whoever has what it came for need not wait for the last byte.
            callback.failed(e);
        } catch (IOException | RuntimeException e) {
            LOG.error("{} {} failed", request.getMethod(), request.getHttpURI().getPath(), e);
            ServiceError error =
                    new ServiceError("the service failed", HttpProblem.Code.INTERNAL.wireName(), "see `capsem triage`");
            refuse(HttpProblem.Code.INTERNAL.status(), error, request, response, callback);
        }
        return true;
    }

    /// Sets the further headers of an answer.
    private static HttpAnswer bare(HttpAnswer answer, Response response) {
        if (answer instanceof HttpAnswer.WithHeaders(HttpAnswer inner, Map<String, String> headers)) {
            headers.forEach((name, value) -> response.getHeaders().put(name, value));
            return bare(inner, response);
        }
        return answer;
    }

    private boolean upgrade(
            HttpAnswer.Upgrade answer, org.eclipse.jetty.server.Request request, Response response, Callback callback) {
        WebSocketCreator creator = (asked, chosen, _) -> {
            answer.protocol().filter(asked::hasSubProtocol).ifPresent(chosen::setAcceptedSubProtocol);
            return new WebSocketAdapter(answer.handler());
        };
        boolean upgraded = webSockets.upgrade(creator, request, response, callback);
        if (!upgraded) {
            throw new HttpProblem(
                    HttpProblem.Code.BAD_QUERY, "this route is a WebSocket", "send Upgrade: websocket, version 13");
        }
        return true;
    }

    private static Request read(org.eclipse.jetty.server.Request request, Response response) {
        Map<String, List<String>> query = new HashMap<>();
        try {
            for (Fields.Field field : org.eclipse.jetty.server.Request.extractQueryParameters(request)) {
                query.put(field.getName(), List.copyOf(field.getValues()));
            }
        } catch (HttpException.RuntimeException | IllegalArgumentException e) {
            throw new HttpProblem(
                    HttpProblem.Code.BAD_QUERY, "the query is not valid", "percent-encode it as UTF-8", e);
        }
        return new Request(
                request.getMethod(),
                Optional.ofNullable(request.getHttpURI().getDecodedPath()).orElse("/"),
                query,
                Optional.ofNullable(request.getHeaders().get(HttpHeader.CONTENT_TYPE)),
                Optional.ofNullable(request.getHeaders().get(HttpHeader.ACCEPT)),
                name -> Optional.ofNullable(request.getHeaders().get(name)),
                bytesMax -> body(request, bytesMax),
                () -> requireThere(request, response));
    }

    /// Only reading tells whether a client closed the connection, and while a request is answered nobody else reads. A
    /// client that sends its next request without waiting for this answer is told to send it again, on another
    /// connection: its first byte was taken here.
    private static void requireThere(org.eclipse.jetty.server.Request request, Response response) {
        EndPoint connection = request.getConnectionMetaData().getConnection().getEndPoint();
        try {
            int count = connection.fill(BufferUtil.allocate(1));
            if (count < 0) {
                throw new HttpAnswer.ClientGoneException();
            }
            if (count > 0) {
                response.getHeaders().put(HttpHeader.CONNECTION, "close");
            }
        } catch (IOException e) {
            throw new HttpAnswer.ClientGoneException(e);
        }
    }

    private static byte[] body(org.eclipse.jetty.server.Request request, int bytesMax) {
        if (request.getLength() > bytesMax) {
            throw tooLarge(bytesMax);
        }
        try {
            byte[] bytes = Content.Source.asInputStream(request).readNBytes(bytesMax + 1);
            if (bytes.length > bytesMax) {
                throw tooLarge(bytesMax);
            }
            return bytes;
        } catch (IOException e) {
            throw new HttpAnswer.ClientGoneException(e);
        }
    }

    private static HttpProblem tooLarge(int bytesMax) {
        return new HttpProblem(
                HttpProblem.Code.TOO_LARGE, "the body is larger than " + bytesMax + " bytes", "send less, or in parts");
    }

    private static void write(HttpAnswer answer, org.eclipse.jetty.server.Request request, Response response)
            throws IOException {
        switch (answer) {
            case HttpAnswer.JsonBody json -> {
                status(json.status(), request, response);
                if (json.status() == UNAUTHORIZED) {
                    response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
                }
                send(request, response, "application/json", Json.bytes(json.body()));
            }
            case HttpAnswer.LongBody body -> {
                status(body.status(), request, response);
                write(body.document(), request, response);
            }
            case HttpAnswer.Last last -> send(request, response, "application/json", Json.bytes(last.body()));
            case HttpAnswer.Content content -> {
                content.fileName()
                        .ifPresent(name -> response.getHeaders()
                                .put(new HttpField(
                                        "Content-Disposition", "attachment; filename=\"" + quoted(name) + "\"")));
                send(request, response, content.mediaType(), content.bytes());
            }
            case HttpAnswer.Page page -> {
                status(page.status(), request, response);
                send(request, response, page.mediaType(), page.bytes());
            }
            case HttpAnswer.WithHeaders _ ->
                throw new IllegalStateException("its headers are set before it is written");
            case HttpAnswer.Stream stream -> stream(stream, request, response);
            case HttpAnswer.Upgrade _ -> throw new IllegalStateException("a WebSocket is upgraded, not written");
        }
    }

    private static void status(int status, org.eclipse.jetty.server.Request request, Response response) {
        response.setStatus(status);
        if (status >= BAD_REQUEST && !drain(request)) {
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
    }

    private static void write(
            HttpAnswer.Document document, org.eclipse.jetty.server.Request request, Response response) {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        try (document) {
            Json.write(Response.asBufferedOutputStream(request, response), document::write);
        } catch (JacksonIOException e) {
            throw new HttpAnswer.ClientGoneException(e);
        }
    }

    /// A header cannot hold every file name: what is not plain ASCII becomes `_`.
    private static String quoted(String name) {
        return name.replaceAll("[^ !#-\\[\\]-~]", "_");
    }

    private static void send(
            org.eclipse.jetty.server.Request request, Response response, String mediaType, byte[] bytes)
            throws IOException {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, mediaType);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes.length);
        try (OutputStream out = Response.asBufferedOutputStream(request, response)) {
            out.write(bytes);
        }
    }

    private static void stream(HttpAnswer.Stream stream, org.eclipse.jetty.server.Request request, Response response)
            throws IOException {
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, stream.mediaType());
        try (OutputStream out = Response.asBufferedOutputStream(request, response)) {
            stream.producer().produce(bytes -> {
                try {
                    out.write(bytes);
                    out.flush();
                } catch (IOException e) {
                    throw new HttpAnswer.ClientGoneException(e);
                }
            });
        }
    }

    /// Reads what is left of the body, within reason: a client that is still writing when we close would get a broken
    /// pipe instead of its answer. A client that never ends its body still gets the answer, and its connection is
    /// closed. Returns whether the connection can be used again.
    private static boolean drain(org.eclipse.jetty.server.Request request) {
        long end = System.nanoTime() + DRAINED_FOR.toNanos();
        try {
            for (long total = 0; total < DRAINED_BYTES_MAX && System.nanoTime() < end; ) {
                Content.Chunk chunk = request.read();
                if (chunk == null) {
                    var more = new CountDownLatch(1);
                    request.demand(more::countDown);
                    if (!more.await(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                        return false;
                    }
                    continue;
                }
                total += chunk.remaining();
                chunk.release();
                if (chunk.isLast()) {
                    return !Content.Chunk.isFailure(chunk);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private static void refuse(
            int status,
            ServiceError error,
            org.eclipse.jetty.server.Request request,
            Response response,
            Callback callback) {
        if (response.isCommitted()) {
            callback.failed(new IOException(error.code()));
            return;
        }
        response.reset();
        response.setStatus(status);
        if (!drain(request)) {
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
        }
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
        Content.Sink.write(response, true, new String(Json.bytes(error.toJson()), StandardCharsets.UTF_8), callback);
    }
}
