package dev.capsem.network.http;

import dev.capsem.exchange.http.ErrorResponse;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/// The responses that we write ourselves, as Netty holds them.
final class OwnResponse {
    private OwnResponse() {}

    static FullHttpResponse of(ErrorResponse error) {
        ByteBuf body = error.isForHead()
                ? Unpooled.EMPTY_BUFFER
                : Unpooled.wrappedBuffer(error.text().getBytes(StandardCharsets.UTF_8));
        FullHttpResponse response =
                new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(error.status()), body);
        error.headers().fields().forEach(field -> response.headers().add(field.name(), field.value()));
        return response;
    }

    /// The guest may send its body.
    static FullHttpResponse goOn() {
        return new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER);
    }
}
