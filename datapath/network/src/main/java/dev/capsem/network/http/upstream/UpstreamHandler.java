package dev.capsem.network.http.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpMessage;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.Optional;

/// The end of an upstream's pipeline: tells the exchange that uses it, and nobody while none does.
@SuppressWarnings("FutureReturnValueIgnored")
public final class UpstreamHandler extends ChannelInboundHandlerAdapter {
    private Optional<UpstreamEvents> listener = Optional.empty();
    /// Whether the message under way is an interim response, whose end is not the response's end.
    private boolean inInterim;

    void attach(UpstreamEvents events) {
        listener = Optional.of(events);
    }

    public void detach() {
        listener = Optional.empty();
    }

    boolean isIdle() {
        return listener.isEmpty();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (listener.isPresent() && message instanceof ByteBuf bytes) {
            // The codec stopped at a 101: this belongs to the protocol that was switched to.
            listener.get().responseContent(new DefaultHttpContent(bytes));
            return;
        }
        if (listener.isEmpty() || !(message instanceof HttpObject object)) {
            ReferenceCountUtil.release(message);
            if (listener.isEmpty() && message instanceof HttpObject) {
                // Words nobody asked for would be taken for the next request's answer.
                ctx.close();
            }
            return;
        }
        UpstreamEvents events = listener.get();
        if (object.decoderResult().isFailure()) {
            ReferenceCountUtil.release(message);
            gone("the upstream's answer is malformed");
            ctx.close();
            return;
        }
        if (object instanceof HttpResponse head) {
            events.responseHead(head);
        }
        if (object instanceof HttpContent content) {
            boolean isWholeInterim =
                    object instanceof HttpResponse interim && interim.status().code() < 200;
            if (isWholeInterim || (isEmptyEndOfInterim(content) && !(object instanceof HttpResponse))) {
                content.release();
            } else {
                events.responseContent(
                        content instanceof FullHttpMessage whole
                                ? new DefaultLastHttpContent(whole.content(), whole.trailingHeaders())
                                : content);
            }
        }
        inInterim = object instanceof HttpResponse interim
                ? interim.status().code() < 200
                        && interim.status().code() != 101
                        && !(object instanceof LastHttpContent)
                : inInterim && !(object instanceof LastHttpContent);
    }

    private boolean isEmptyEndOfInterim(HttpContent content) {
        return inInterim && content instanceof LastHttpContent;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        listener.ifPresent(UpstreamEvents::upstreamReadComplete);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (ctx.channel().isWritable()) {
            listener.ifPresent(UpstreamEvents::upstreamWritable);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof Http2ResetFrame reset) {
            gone("the upstream ended the stream with error code " + reset.errorCode());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        gone("the upstream closed the connection");
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        gone(UpstreamTrouble.broken(cause));
        ctx.close();
    }

    private void gone(String reason) {
        Optional<UpstreamEvents> told = listener;
        listener = Optional.empty();
        told.ifPresent(events -> events.upstreamGone(reason));
    }
}
