package dev.capsem.network.http;

import dev.capsem.broker.Grants;
import dev.capsem.events.EventSink;
import dev.capsem.events.budget.SpendingDesk;
import dev.capsem.events.row.Caller;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.traffic.ExchangeObserver;
import dev.capsem.exchange.http.HttpDependencies;
import dev.capsem.network.address.AddressLiterals;
import dev.capsem.network.address.HostResolver;
import dev.capsem.network.address.NameClasses;
import dev.capsem.network.address.NameLedger;
import dev.capsem.network.http.body.HeldBytes;
import dev.capsem.network.http.body.TimedReader;
import dev.capsem.network.http.body.TimedTap;
import dev.capsem.network.http.head.ConnectionFacts;
import dev.capsem.network.http.limit.BodyRoom;
import dev.capsem.network.http.limit.Timeouts;
import dev.capsem.network.http.upstream.UpstreamPool;
import dev.capsem.network.http.upstream.UpstreamProxy;
import dev.capsem.network.http.upstream.io.Deferred;
import dev.capsem.network.http.upstream.io.UpstreamDialer;
import dev.capsem.network.metrics.NetworkMetrics;
import dev.capsem.network.record.ExchangeRecorder;
import dev.capsem.network.start.ConnectionStart;
import dev.capsem.network.tls.GuestTls;
import dev.capsem.network.tls.UpstreamTls;
import dev.capsem.wire.guest.Preamble;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.net.Inet6Address;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/// All HTTP and TLS of one sandbox.
public final class HttpTraffic {
    private final Deferred<UpstreamTls> upstreamTls;
    private final Stage stage;
    private final GuestPipeline pipelines;
    private final Map<EventLoop, UpstreamPool> pools = new ConcurrentHashMap<>();

    /// @param upstreamTls slow to make; asked for when there is use for it
    /// @param threads virtual ones, for what may wait
    public HttpTraffic(
            SecurityGate gate,
            ApprovalDesk desk,
            EnvelopeSource envelopes,
            EventSink sink,
            ExchangeObserver observer,
            NameLedger ledger,
            HostResolver resolver,
            Supplier<Optional<UpstreamProxy>> proxy,
            Supplier<Grants> grants,
            SpendingDesk spending,
            GuestTls guestTls,
            Supplier<UpstreamTls> upstreamTls,
            Timeouts timeouts,
            BodyRoom bodyRoom,
            NetworkMetrics metrics,
            Executor threads) {
        this.upstreamTls = new Deferred<>(upstreamTls, threads);
        UpstreamDialer dialer = new UpstreamDialer(this.upstreamTls, resolver, timeouts, metrics);
        HttpDependencies exchanges = new HttpDependencies(
                gate,
                envelopes,
                head -> observer.modelCall(head).map(tap -> new TimedTap(tap, metrics)),
                headers -> TimedReader.of(headers, metrics),
                resolver::known,
                NameClasses::standIn,
                new ExchangeRedactor(),
                grants,
                spending,
                timeouts.heldStream().toSeconds());
        this.stage = new Stage(
                exchanges,
                gate,
                desk,
                envelopes,
                ledger,
                resolver,
                proxy,
                new ExchangeRecorder(sink, threads, metrics),
                metrics,
                timeouts,
                new HeldBytes(bodyRoom.bytes(), bodyRoom.patience()),
                new HeldBytes(bodyRoom.bytes(), bodyRoom.patience()),
                loop -> pools.computeIfAbsent(loop, own -> new UpstreamPool(own, dialer, timeouts, metrics)));
        this.pipelines = new GuestPipeline(stage, guestTls);
    }

    /// Requires: on the channel's event loop; nothing was read from the channel by Netty yet.
    ///
    /// @param openedNanos when the connection was accepted
    public void startTls(Channel channel, Preamble preamble, long openedNanos) {
        upstreamTls.want();
        pipelines.startTls(channel, facts(preamble, openedNanos));
    }

    /// Requires: as [#startTls].
    public void startHttp(Channel channel, Preamble preamble, long openedNanos) {
        pipelines.startHttp1(channel, facts(preamble, openedNanos));
    }

    /// Requires: as [#startTls].
    public void startHttp2(Channel channel, Preamble preamble, long openedNanos) {
        pipelines.startHttp2(channel, facts(preamble, openedNanos));
    }

    /// A connection that speaks neither is on record.
    public void refused(Preamble preamble, long openedNanos, String reason) {
        GuestPipeline.refused(stage, facts(preamble, openedNanos), "tcp", Outcome.DENIED, reason);
    }

    /// Attempts that the sandbox's own packet filter refused are on record as well.
    public void undelivered(Preamble preamble, ConnectionStart.Undelivered report) {
        ConnectionFacts facts = new ConnectionFacts(
                "http",
                Optional.empty(),
                OptionalInt.of(report.port()),
                report.to().isAnyLocalAddress() ? Optional.empty() : Optional.of(report.to()),
                caller(preamble),
                Optional.empty(),
                System.nanoTime());
        String version = report.to() instanceof Inet6Address ? " over IPv6" : "";
        String packets = report.packets() == 1 ? "1 packet" : report.packets() + " packets";
        String reason = report.transport() + version + " does not leave the sandbox: " + packets
                + " refused inside; use TCP over IPv4";
        GuestPipeline.refused(stage, facts, report.transport(), Outcome.DENIED, reason);
    }

    /// Closes what is kept for later exchanges.
    public void closeIdle() {
        pools.forEach((loop, pool) -> loop.execute(pool::close));
    }

    private static Caller caller(Preamble preamble) {
        return new Caller(preamble.processName(), OptionalLong.empty(), preamble.executable(), preamble.script());
    }

    private static ConnectionFacts facts(Preamble preamble, long openedNanos) {
        return new ConnectionFacts(
                "http",
                Optional.empty(),
                preamble.destination().map(to -> OptionalInt.of(to.port())).orElse(OptionalInt.empty()),
                preamble.destination().flatMap(to -> AddressLiterals.parse(to.address())),
                caller(preamble),
                Optional.empty(),
                openedNanos);
    }
}
