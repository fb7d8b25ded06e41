package dev.capsem.network.http;

import dev.capsem.fuzz.Property;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.local.LocalServerChannel;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import java.util.ArrayList;
import java.util.List;

/// Frames of a guest behind the connection preface, through the codec as [GuestPipeline] sets it up: the same requests
/// and the same refusals however the bytes are cut.
public final class Http2FramesFuzz {
    private Http2FramesFuzz() {}

    public static void fuzzerTestOneInput(byte[] data) {
        Property.same(story(new byte[][] {data}), story(Property.pieces(data)), "under another split");
    }

    private static List<String> story(byte[][] pieces) {
        List<String> told = new ArrayList<>();
        // A server's connection is told by its parent.
        EmbeddedChannel channel = new EmbeddedChannel(
                new LocalServerChannel(),
                DefaultChannelId.newInstance(),
                true,
                false,
                GuestPipeline.http2Codec(reason -> told.add("refused: " + reason)),
                new Http2MultiplexHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel stream) {
                        stream.pipeline().addLast(new Http2StreamFrameToHttpObjectCodec(true), new Teller(told));
                    }

                    @Override
                    public boolean isSharable() {
                        return true;
                    }
                }),
                new ChannelInboundHandlerAdapter() {
                    @Override
                    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                        // The connection is over, by the codec's own word.
                        Property.holds(cause instanceof Http2Exception, "not an error of HTTP/2: " + cause);
                        told.add("connection error");
                    }
                });
        channel.writeInbound(Http2CodecUtil.connectionPrefaceBuf());
        for (byte[] piece : pieces) {
            ByteBuf bytes = Unpooled.copiedBuffer(piece);
            if (channel.isOpen()) {
                channel.writeInbound(bytes);
            } else {
                bytes.release();
            }
            channel.releaseOutbound();
        }
        channel.finishAndReleaseAll();
        return told;
    }

    private static final class Teller extends SimpleChannelInboundHandler<HttpObject> {
        private final List<String> told;

        Teller(List<String> told) {
            this.told = told;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
            if (message instanceof HttpRequest request) {
                told.add(request.method() + " " + request.uri()
                        + request.headers().entries());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            // A stream whose head is no request: GuestHandler answers and records.
            told.add(cause.getClass().getSimpleName());
        }
    }
}
