package dev.capsem.network.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.Deque;

/// A WebSocket under way: bytes pass unchanged, no faster than the other side takes them; frames are counted.
@SuppressWarnings("FutureReturnValueIgnored")
final class Tunnel {
    /// What is known when it ends.
    interface Ended {
        /// @param frames how many went each way, in words that a record can keep
        void ended(long bytesSent, long bytesReceived, String frames);
    }

    private final Channel guest;
    private final Channel upstream;
    private final Ended ended;
    private final WebSocketFrames framesSent = new WebSocketFrames();
    private final WebSocketFrames framesReceived = new WebSocketFrames();
    private long bytesSent;
    private long bytesReceived;
    private boolean isOver;

    Tunnel(Channel guest, Channel upstream, Ended ended) {
        this.guest = guest;
        this.upstream = upstream;
        this.ended = ended;
    }

    /// The last handler of the guest's pipeline from now on.
    ChannelInboundHandlerAdapter guestEnd() {
        return new End(upstream, true);
    }

    /// Requires: the guest's pipeline ends with [#guestEnd].
    ///
    /// @param early what the upstream said right after its 101
    void start(Deque<HttpContent> early) {
        upstream.pipeline().replace(UpstreamHandler.class, null, new End(guest, false));
        for (HttpContent content : early) {
            if (content.content().isReadable()) {
                pass(content.content(), guest, false);
            } else {
                content.release();
            }
        }
        guest.flush();
        upstream.pipeline().remove(HttpClientCodec.class);
        upstream.read();
        guest.read();
    }

    private void pass(ByteBuf bytes, Channel to, boolean isFromGuest) {
        if (isFromGuest) {
            bytesSent += bytes.readableBytes();
            framesSent.sees(bytes);
        } else {
            bytesReceived += bytes.readableBytes();
            framesReceived.sees(bytes);
        }
        to.write(bytes);
    }

    private void end(Channel other) {
        if (isOver) {
            return;
        }
        isOver = true;
        other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        ended.ended(
                bytesSent,
                bytesReceived,
                "frames sent: " + framesSent.frames() + ", received: " + framesReceived.frames());
    }

    private final class End extends ChannelInboundHandlerAdapter {
        private final Channel other;
        private final boolean isGuest;

        End(Channel other, boolean isGuest) {
            this.other = other;
            this.isGuest = isGuest;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof ByteBuf bytes) {
                pass(bytes, other, isGuest);
            } else {
                ReferenceCountUtil.release(message);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            other.flush();
            if (other.isWritable()) {
                ctx.read();
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (ctx.channel().isWritable()) {
                other.read();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            end(other);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                ctx.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
