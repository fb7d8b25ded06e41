package dev.capsem.network.http;

import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.BlockCause;
import dev.capsem.exchange.http.Refusal;
import dev.capsem.network.http.limit.Limits;
import dev.capsem.network.http.upstream.UpstreamHandler;
import dev.capsem.network.http.websocket.WebSocketFrames;
import dev.capsem.network.http.websocket.WebSocketMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpContent;
import io.netty.util.ReferenceCountUtil;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// A WebSocket under way: bytes pass unchanged, no faster than the other side takes them; frames are counted. Where a
/// rule reads messages, they pass a [MessageGuard] each way.
@SuppressWarnings("FutureReturnValueIgnored")
final class Tunnel {
    /// The facts at its end.
    interface Ended {
        /// @param frames how many went each way, in words that a record can keep
        /// @return done when it is on record
        CompletableFuture<Void> ended(Outcome outcome, long bytesSent, long bytesReceived, String frames);
    }

    /// RFC 6455 §7.4.1.
    private static final int GOING_AWAY = 1001;

    private static final int PROTOCOL_ERROR = 1002;
    private static final int POLICY_VIOLATION = 1008;

    /// Of IANA's registry of close codes.
    private static final int TRY_AGAIN_LATER = 1013;

    private final Channel guest;
    private final Channel upstream;
    private final Optional<Guards> guards;
    private final Optional<MessagePolicy> policy;
    private final Ended ended;
    private final WebSocketFrames framesSent = new WebSocketFrames();
    private final WebSocketFrames framesReceived = new WebSocketFrames();
    private long bytesSent;
    private long bytesReceived;
    private boolean isOver;

    private record Guards(MessageGuard sent, MessageGuard received) {}

    Tunnel(Channel guest, Channel upstream, Optional<MessagePolicy> policy, Ended ended) {
        this.guest = guest;
        this.upstream = upstream;
        this.policy = policy;
        this.guards = policy.map(rules ->
                new Guards(new MessageGuard(rules, true, way(true)), new MessageGuard(rules, false, way(false))));
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
                came(content.content(), false);
            } else {
                content.release();
            }
        }
        guest.flush();
        upstream.pipeline().remove(HttpClientCodec.class);
        upstream.read();
        guest.read();
    }

    private void came(ByteBuf bytes, boolean isFromGuest) {
        if (isOver) {
            bytes.release();
        } else if (guards.isPresent()) {
            guard(guards.get(), isFromGuest).came(bytes);
        } else {
            pass(bytes, isFromGuest);
        }
    }

    private ChannelFuture pass(ByteBuf bytes, boolean isFromGuest) {
        if (isFromGuest) {
            bytesSent += bytes.readableBytes();
            framesSent.sees(bytes);
        } else {
            bytesReceived += bytes.readableBytes();
            framesReceived.sees(bytes);
        }
        return (isFromGuest ? upstream : guest).write(bytes);
    }

    /// No faster than the other side takes it, and not past a message that is being judged.
    private void read(boolean fromGuest) {
        boolean isHeld = guards.map(both -> guard(both, fromGuest).isWaiting()).orElse(false);
        if ((fromGuest ? upstream : guest).isWritable() && !isHeld) {
            (fromGuest ? guest : upstream).read();
        }
    }

    private static MessageGuard guard(Guards both, boolean isFromGuest) {
        return isFromGuest ? both.sent() : both.received();
    }

    private MessageGuard.Way way(boolean isFromGuest) {
        return new MessageGuard.Way() {
            @Override
            public ChannelFuture pass(ByteBuf bytes) {
                return Tunnel.this.pass(bytes, isFromGuest);
            }

            @Override
            public void goOn() {
                (isFromGuest ? upstream : guest).flush();
                read(isFromGuest);
            }

            @Override
            public void refuse(Refusal refusal) {
                Tunnel.this.refuse(refusal);
            }
        };
    }

    private void end(Channel other) {
        if (isOver) {
            return;
        }
        other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        over(Outcome.ALLOWED);
    }

    private CompletableFuture<Void> over(Outcome outcome) {
        isOver = true;
        policy.ifPresent(MessagePolicy::withdraw);
        guards.ifPresent(both -> {
            both.sent().close();
            both.received().close();
        });
        return ended.ended(
                outcome,
                bytesSent,
                bytesReceived,
                "frames sent: " + framesSent.frames() + ", received: " + framesReceived.frames());
    }

    /// Both sides are told once it is on record: the guest why, the upstream only that it is over.
    private void refuse(Refusal refusal) {
        if (!isOver) {
            over(Outcome.DENIED).thenRunAsync(() -> closeBoth(refusal), guest.eventLoop());
        }
    }

    private void closeBoth(Refusal refusal) {
        Guards both = guards.orElseThrow();
        if (!both.sent().isMidFrame()) {
            upstream.write(WebSocketMessage.close(GOING_AWAY, "").frame(true));
        }
        upstream.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        if (both.received().isMidFrame()) {
            // Whatever is said now would be taken for the rest of that frame.
            guest.close();
            return;
        }
        guest.writeAndFlush(WebSocketMessage.close(closeCode(refusal), refusal.reason())
                        .frame(false))
                .addListener(_ -> {
                    // Closing at once could make the guest's stack throw our last words away while it still sends.
                    GuestHandler.endOutput(guest);
                    guest.read();
                    guest.eventLoop().schedule(() -> guest.close(), Limits.DRAINED_SECONDS, TimeUnit.SECONDS);
                });
    }

    private static int closeCode(Refusal refusal) {
        if (refusal.code().equals(Refusal.MALFORMED)) {
            return PROTOCOL_ERROR;
        }
        return refusal.code().equals(BlockCause.INSPECTION_FULL.wireName()) ? TRY_AGAIN_LATER : POLICY_VIOLATION;
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
                came(bytes, isGuest);
            } else {
                ReferenceCountUtil.release(message);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            other.flush();
            if (isOver) {
                ctx.read();
            } else {
                read(isGuest);
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (!isOver) {
                read(!isGuest);
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
