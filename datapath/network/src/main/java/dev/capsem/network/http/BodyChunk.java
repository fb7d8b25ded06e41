package dev.capsem.network.http;

import dev.capsem.exchange.http.Chunk;
import dev.capsem.exchange.http.OwnBytes;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.LastHttpContent;

/// A piece of a body as Netty holds it.
record BodyChunk(HttpContent content) implements Chunk {
    /// Fields behind a request's body would leave after everything was judged. RFC 9110 §6.5.1 lets them be left out.
    static BodyChunk ofRequest(HttpContent content) {
        return new BodyChunk(
                content instanceof LastHttpContent last
                                && !last.trailingHeaders().isEmpty()
                        ? new DefaultLastHttpContent(last.content())
                        : content);
    }

    static HttpContent content(Chunk chunk) {
        return switch (chunk) {
            case BodyChunk(HttpContent content) -> content;
            case OwnBytes own when own.size() > 0 -> new DefaultLastHttpContent(Unpooled.wrappedBuffer(own.content()));
            case OwnBytes _ -> LastHttpContent.EMPTY_LAST_CONTENT;
            default -> throw new IllegalStateException("a chunk of another kind: " + chunk);
        };
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
