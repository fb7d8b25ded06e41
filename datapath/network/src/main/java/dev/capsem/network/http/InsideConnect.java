package dev.capsem.network.http;

import dev.capsem.events.row.Outcome;
import dev.capsem.network.http.head.ConnectionFacts;
import dev.capsem.network.start.ConnectionStart;
import dev.capsem.wire.Decoded;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// The first bytes behind a CONNECT: what they are is told as on a connection of its own, and so is what they are not.
@SuppressWarnings("FutureReturnValueIgnored")
final class InsideConnect extends ByteToMessageDecoder {
    private final Stage stage;
    private final GuestPipeline pipelines;
    private final ConnectionFacts facts;
    private Optional<ScheduledFuture<?>> silence = Optional.empty();
    private boolean isDecided;

    InsideConnect(Stage stage, GuestPipeline pipelines, ConnectionFacts facts) {
        this.stage = stage;
        this.pipelines = pipelines;
        this.facts = facts;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        long millis = stage.timeouts().firstByte().toMillis();
        silence = Optional.of(ctx.executor().schedule(() -> silent(ctx), millis, TimeUnit.MILLISECONDS));
    }

    private void silent(ChannelHandlerContext ctx) {
        long seconds = stage.timeouts().firstByte().toSeconds();
        refuse(ctx, "inside CONNECT: nothing that is carried was said for " + seconds + " s", "");
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        decide(ctx, in, false);
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        decide(ctx, in, true);
    }

    private void decide(ChannelHandlerContext ctx, ByteBuf in, boolean ended) {
        if (isDecided) {
            in.skipBytes(in.readableBytes());
            return;
        }
        if (!(ConnectionStart.speech(in.nioBuffer(), ended)
                instanceof Decoded.Message<ConnectionStart.Protocol>(ConnectionStart.Protocol spoken, int _))) {
            return;
        }
        if (spoken instanceof ConnectionStart.Unknown(String reason, String goodbye)) {
            in.skipBytes(in.readableBytes());
            refuse(ctx, "inside CONNECT: " + reason, goodbye);
            return;
        }
        decided();
        switch (spoken) {
            case ConnectionStart.Tls _ -> pipelines.startTls(ctx.channel(), facts);
            case ConnectionStart.Http2 _ -> pipelines.startHttp2(ctx.channel(), facts);
            case ConnectionStart.Http _,
                    ConnectionStart.Mcp _,
                    ConnectionStart.Undelivered _,
                    ConnectionStart.Unknown _ -> pipelines.startHttp1(ctx.channel(), facts);
        }
        ctx.pipeline().remove(this);
    }

    private void refuse(ChannelHandlerContext ctx, String reason, String goodbye) {
        if (!isDecided) {
            decided();
            GuestPipeline.refused(stage, facts, "tcp", Outcome.DENIED, reason);
            ctx.writeAndFlush(Unpooled.copiedBuffer(goodbye, StandardCharsets.ISO_8859_1))
                    .addListener(ChannelFutureListener.CLOSE);
        }
    }

    private void decided() {
        isDecided = true;
        silence.ifPresent(timer -> timer.cancel(false));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        refuse(ctx, "the connection broke inside its CONNECT", "");
        ctx.close();
    }
}
