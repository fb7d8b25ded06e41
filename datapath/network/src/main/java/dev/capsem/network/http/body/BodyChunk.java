package dev.capsem.network.http.body;

import dev.capsem.events.security.Headers;
import dev.capsem.exchange.http.body.Chunk;
import dev.capsem.exchange.http.body.OwnBytes;
import dev.capsem.exchange.http.body.ScrubbedBytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;

/// A piece of a body as Netty holds it.
public record BodyChunk(HttpContent content) implements Chunk {
    /// Fields behind a request's body would leave after everything was judged. RFC 9110 §6.5.1 lets them be left out.
    public static BodyChunk ofRequest(HttpContent content) {
        return new BodyChunk(
                content instanceof LastHttpContent last
                                && !last.trailingHeaders().isEmpty()
                        ? new DefaultLastHttpContent(last.content())
                        : content);
    }

    public static HttpContent content(Chunk chunk) {
        return switch (chunk) {
            case BodyChunk(HttpContent content) -> content;
            case OwnBytes own when own.size() > 0 -> new DefaultLastHttpContent(Unpooled.wrappedBuffer(own.content()));
            case OwnBytes _ -> LastHttpContent.EMPTY_LAST_CONTENT;
            case ScrubbedBytes clean
            when clean.isLast() -> last(Unpooled.wrappedBuffer(clean.content()), clean.trailers());
            case ScrubbedBytes clean -> new DefaultHttpContent(Unpooled.wrappedBuffer(clean.content()));
            default -> throw new IllegalStateException("a chunk of another kind: " + chunk);
        };
    }

    private static HttpContent last(ByteBuf bytes, Headers trailers) {
        DefaultLastHttpContent last = new DefaultLastHttpContent(bytes);
        trailers.fields().forEach(field -> last.trailingHeaders().add(field.name(), field.value()));
        return last;
    }

    @Override
    public Headers trailers() {
        return content instanceof LastHttpContent last
                        && !last.trailingHeaders().isEmpty()
                ? Headers.of(last.trailingHeaders().entries().stream()
                        .map(field -> new Headers.Field(field.getKey(), field.getValue()))
                        .toList())
                : Headers.NONE;
    }

    @Override
    public Chunk withTrailers(Headers changed) {
        return new BodyChunk(last(content.content(), changed));
    }

    @Override
    public int size() {
        return content.content().readableBytes();
    }

    @Override
    public boolean isLast() {
        return content instanceof LastHttpContent;
    }

    @Override
    public void release() {
        content.release();
    }
}
