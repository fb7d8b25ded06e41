package dev.capsem.network.http;

import dev.capsem.events.row.Outcome;
import dev.capsem.exchange.http.Refusal;
import dev.capsem.network.address.AddressLiterals;
import dev.capsem.network.http.head.Authority;
import dev.capsem.network.http.head.ConnectionFacts;
import dev.capsem.network.http.head.RequestHead;
import dev.capsem.network.tls.GuestTls;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.AbstractSniHandler;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.util.Optional;

/// Ends a guest's TLS: reads whom the ClientHello is for, shows a certificate for it, and goes on with what ALPN
/// settles. A connection whose parts contradict each other is still taken, so that its requests can be told why
/// they are refused.
@SuppressWarnings("FutureReturnValueIgnored")
final class TlsStart extends AbstractSniHandler<SslContext> {
    private static final int CLIENT_HELLO_BYTES_MAX = 64 * 1024;

    private final Stage stage;
    private final GuestPipeline pipelines;
    private final GuestTls tls;
    private final ConnectionFacts facts;
    private final long startedNanos = System.nanoTime();
    private ConnectionFacts settled;
    private boolean isOver;

    TlsStart(Stage stage, GuestPipeline pipelines, GuestTls tls, ConnectionFacts facts) {
        super(CLIENT_HELLO_BYTES_MAX, stage.timeouts().guestHandshake().toMillis());
        this.stage = stage;
        this.pipelines = pipelines;
        this.tls = tls;
        this.facts = facts;
        this.settled = facts;
    }

    @Override
    protected Future<SslContext> lookup(ChannelHandlerContext ctx, String serverName) {
        Promise<SslContext> found = ctx.executor().newPromise();
        Optional<String> host = host(Optional.ofNullable(serverName));
        if (host.isEmpty()) {
            return found.setFailure(new IllegalArgumentException(
                    serverName == null ? "the ClientHello names no server" : "the ClientHello names no valid server"));
        }
        settled = facts.tls(host.get(), contradiction(host.get()));
        tls.context(host.get()).whenComplete((context, failure) -> {
            if (failure == null) {
                found.trySuccess(context);
            } else {
                found.tryFailure(failure);
            }
        });
        return found;
    }

    /// TLS names no addresses (RFC 6066 §3): a client that connects to one is for that address, unless the address only
    /// stands for a name.
    private Optional<String> host(Optional<String> serverName) {
        if (serverName.isPresent()) {
            return Authority.host(serverName.get());
        }
        Optional<String> literal =
                facts.name().filter(name -> AddressLiterals.parse(name).isPresent());
        return literal.or(() -> facts.destination()
                .filter(address -> stage.ledger().nameOf(address).isEmpty())
                .map(InetAddress::getHostAddress));
    }

    private Optional<Refusal> contradiction(String host) {
        if (facts.name().isPresent() && !facts.name().get().equals(host)) {
            return Optional.of(Refusal.of(
                    421,
                    "host_mismatch",
                    "the TLS server name is not the host of the CONNECT",
                    "use the same name for both"));
        }
        return RequestHead.destinationMismatch(host, facts, stage.ledger());
    }

    @Override
    protected void onLookupComplete(ChannelHandlerContext ctx, String serverName, Future<SslContext> found) {
        if (!found.isSuccess()) {
            isOver = true;
            refused("TLS refused: " + found.cause().getMessage(), Outcome.DENIED);
            ctx.close();
            return;
        }
        isOver = true;
        SslHandler handler = found.getNow().newHandler(ctx.alloc());
        handler.setHandshakeTimeoutMillis(stage.timeouts().guestHandshake().toMillis());
        handler.handshakeFuture().addListener(done -> {
            if (!done.isSuccess()) {
                refused("the guest's TLS handshake failed: " + words(done.cause()), Outcome.ERROR);
            }
        });
        ctx.pipeline().addAfter(ctx.name(), null, new Negotiation());
        ctx.pipeline().replace(this, null, handler);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!isOver) {
            isOver = true;
            refused("TLS refused: the ClientHello is malformed", Outcome.DENIED);
        }
        ctx.close();
    }

    /// Whether the guest left or we lost patience with it.
    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        if (!isOver) {
            isOver = true;
            refused("TLS refused: the ClientHello did not come whole", Outcome.DENIED);
        }
        super.channelInactive(ctx);
    }

    private void refused(String reason, Outcome outcome) {
        GuestPipeline.refused(stage, settled, "https-mitm", outcome, reason);
    }

    private final class Negotiation extends ApplicationProtocolNegotiationHandler {
        Negotiation() {
            super(ApplicationProtocolNames.HTTP_1_1);
        }

        @Override
        protected void configurePipeline(ChannelHandlerContext ctx, String protocol) {
            stage.metrics().tlsHandshake((System.nanoTime() - startedNanos) / 1e6);
            if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                pipelines.startHttp2(ctx.channel(), settled);
            } else {
                ctx.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
                pipelines.startHttp1(ctx.channel(), settled);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }

    private static String words(Throwable cause) {
        String text = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        String line = text.replaceAll("[\\p{Cntrl}]+", " ");
        return line.length() <= 160 ? line : line.substring(0, 160);
    }
}
