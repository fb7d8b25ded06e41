package dev.capsem.network.http.codec;

import dev.capsem.fuzz.Property;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;

/// HTTP/1 requests of a guest.
public final class RequestDecoderFuzz {
    private RequestDecoderFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        String whole = story(new byte[][] {data});
        Property.same(whole, story(Property.pieces(data)), "under another split");
    }

    private static String story(byte[][] pieces) {
        EmbeddedChannel channel = new EmbeddedChannel(new RequestDecoder());
        for (byte[] piece : pieces) {
            channel.writeInbound(Unpooled.copiedBuffer(piece));
        }
        StringBuilder story = new StringBuilder();
        for (Object message = channel.readInbound(); message != null; message = channel.readInbound()) {
            switch (message) {
                case HttpRequest request -> head(request, story);
                case BadRequest bad -> {
                    // How much of a body came before, and which of two faults is named, depends on the split; that it
                    // is refused does not.
                    Property.holds(bad.status() >= 400 && !bad.reason().isBlank(), "refused without a reason");
                    channel.finishAndReleaseAll();
                    return "refused";
                }
                case HttpContent content -> {
                    story.append(content.content().toString(StandardCharsets.ISO_8859_1));
                    if (content instanceof LastHttpContent last) {
                        story.append("|end").append(last.trailingHeaders().entries());
                    }
                }
                default -> throw new AssertionError("unexpected " + message.getClass());
            }
            ReferenceCountUtil.release(message);
        }
        channel.finishAndReleaseAll();
        return story.toString();
    }

    private static void head(HttpRequest request, StringBuilder story) {
        request.headers().forEach(field -> {
            boolean isClean =
                    (field.getKey() + field.getValue()).chars().noneMatch(c -> c == '\r' || c == '\n' || c == 0);
            Property.holds(isClean, "a field that is two");
        });
        Property.holds(
                !(request.headers().contains("content-length")
                        && request.headers().contains("transfer-encoding")),
                "a body with two lengths");
        Property.holds(request.headers().getAll("host").size() <= 1 || story.isEmpty(), "two hosts");
        story.append(request.method())
                .append(' ')
                .append(request.uri())
                .append(request.protocolVersion())
                .append(request.headers().entries());
    }
}
