package dev.capsem.network.http.upstream;

import dev.capsem.exchange.http.Refusal;
import dev.capsem.exchange.http.UpstreamTarget;
import dev.capsem.network.http.limit.Limits;
import dev.capsem.network.http.limit.Timeouts;
import dev.capsem.network.metrics.NetworkMetrics;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// The upstream connections of one event loop. Guest and upstream legs of an exchange share a loop, so nothing here is
/// locked and no byte changes threads.
@SuppressWarnings("FutureReturnValueIgnored")
public final class UpstreamPool {
    private final EventLoop loop;
    private final UpstreamConnector dialer;
    private final Timeouts timeouts;
    private final NetworkMetrics metrics;
    private final Map<UpstreamOrigin, Deque<Idle>> idle = new HashMap<>();
    private final Map<UpstreamOrigin, List<Shared>> shared = new HashMap<>();
    /// The first dial to an origin whose protocol is not known yet: others wait for it, so that an HTTP/2 origin
    /// gets one connection and not one per request.
    private final Map<UpstreamOrigin, List<Runnable>> waiting = new HashMap<>();

    /// Whether an origin was last seen to speak HTTP/2.
    private final Map<UpstreamOrigin, Boolean> known = new HashMap<>();

    private int open;

    private record Idle(Channel channel, UpstreamHandler handler, UpstreamTarget target, ScheduledFuture<?> expiry) {}

    private record Shared(Channel channel, Http2Connection connection) {}

    public UpstreamPool(EventLoop loop, UpstreamConnector dialer, Timeouts timeouts, NetworkMetrics metrics) {
        this.loop = loop;
        this.dialer = dialer;
        this.timeouts = timeouts;
        this.metrics = metrics;
    }

    /// Where a request to this origin would go without dialling, if it could.
    public Optional<UpstreamTarget> openTarget(UpstreamOrigin origin) {
        Optional<Shared> multiplexed = sharedWithRoom(origin);
        if (multiplexed.isPresent()) {
            return Optional.of(multiplexed.get().connection().target());
        }
        Deque<Idle> kept = idle.get(origin);
        return Optional.ofNullable(kept == null ? null : kept.peekLast()).map(Idle::target);
    }

    /// A connection to that very place: an open one, or a new one.
    ///
    /// @param mayReuse false to insist on a new one
    /// @return fails with an [UpstreamFailure]
    public Future<Upstream> acquire(
            UpstreamOrigin origin, UpstreamTarget target, boolean mayReuse, UpstreamEvents events) {
        Promise<Upstream> acquired = loop.newPromise();
        acquire(origin, target, mayReuse, events, acquired);
        return acquired;
    }

    private void acquire(
            UpstreamOrigin origin,
            UpstreamTarget target,
            boolean mayReuse,
            UpstreamEvents events,
            Promise<Upstream> acquired) {
        if (mayReuse && reuse(origin, target, events, acquired)) {
            return;
        }
        List<Runnable> others = waiting.get(origin);
        if (others != null && mayReuse) {
            others.add(() -> acquire(origin, target, !isHttp1(origin), events, acquired));
            return;
        }
        if (open >= Limits.UPSTREAMS_PER_LOOP) {
            acquired.setFailure(new UpstreamFailure(Refusal.of(
                    503, "too_many_connections", "too many upstream connections are open", "try again shortly")));
            return;
        }
        boolean isFirst = origin.isTls()
                && origin.speech() == UpstreamOrigin.Speech.AGREED
                && !known.containsKey(origin)
                && others == null;
        if (isFirst) {
            waiting.put(origin, new ArrayList<>());
        }
        dial(origin, target, events, acquired, isFirst);
    }

    private boolean isHttp1(UpstreamOrigin origin) {
        return Boolean.FALSE.equals(known.get(origin));
    }

    private boolean reuse(
            UpstreamOrigin origin, UpstreamTarget target, UpstreamEvents events, Promise<Upstream> acquired) {
        Optional<Shared> multiplexed = sharedWithRoom(origin)
                .filter(found -> found.connection().target().equals(target));
        if (multiplexed.isPresent()) {
            stream(multiplexed.get(), events, acquired);
            return true;
        }
        Deque<Idle> kept = idle.get(origin);
        if (kept == null) {
            return false;
        }
        for (Idle found = kept.pollLast(); found != null; found = kept.pollLast()) {
            found.expiry().cancel(false);
            if (found.channel().isActive() && found.target().equals(target)) {
                found.handler().attach(events);
                acquired.setSuccess(whole(origin, found.channel(), found.handler(), target, true));
                return true;
            }
            found.channel().close();
        }
        return false;
    }

    private void dial(
            UpstreamOrigin origin,
            UpstreamTarget target,
            UpstreamEvents events,
            Promise<Upstream> acquired,
            boolean isFirst) {
        open++;
        Http2Connection multiplexed = new Http2Connection(
                origin,
                target,
                gone -> shared.getOrDefault(origin, new ArrayList<>()).removeIf(s -> s.connection() == gone),
                () -> closeIfIdle(origin));
        dialer.dial(loop, origin, target, multiplexed).addListener((Future<UpstreamConnector.Dialed> done) -> {
            if (done.isSuccess()) {
                opened(origin, target, done.getNow(), multiplexed, events, acquired);
            } else {
                open--;
                acquired.setFailure(done.cause());
            }
            if (isFirst) {
                Optional.ofNullable(waiting.remove(origin)).orElse(List.of()).forEach(Runnable::run);
            }
        });
    }

    private void opened(
            UpstreamOrigin origin,
            UpstreamTarget target,
            UpstreamConnector.Dialed dialed,
            Http2Connection multiplexed,
            UpstreamEvents events,
            Promise<Upstream> acquired) {
        metrics.upstreamOpened();
        dialed.channel().closeFuture().addListener(_ -> {
            open--;
            metrics.upstreamClosed();
        });
        if (known.size() > Limits.UPSTREAMS_PER_LOOP) {
            known.clear();
        }
        known.put(origin, dialed.isHttp2());
        if (dialed.isHttp2()) {
            Shared connection = new Shared(dialed.channel(), multiplexed);
            shared.computeIfAbsent(origin, _ -> new ArrayList<>()).add(connection);
            stream(connection, events, acquired);
        } else {
            UpstreamHandler handler = dialed.channel().pipeline().get(UpstreamHandler.class);
            handler.attach(events);
            acquired.setSuccess(whole(origin, dialed.channel(), handler, target, false));
        }
    }

    private static void stream(Shared connection, UpstreamEvents events, Promise<Upstream> acquired) {
        connection.connection().open(connection.channel(), events).addListener((Future<Upstream> done) -> {
            if (done.isSuccess()) {
                acquired.setSuccess(done.getNow());
            } else {
                acquired.setFailure(new UpstreamFailure(Refusal.of(
                        502,
                        "upstream_unreachable",
                        "the upstream takes no more requests on its connection",
                        "try again")));
            }
        });
    }

    private Upstream whole(
            UpstreamOrigin origin, Channel channel, UpstreamHandler handler, UpstreamTarget target, boolean isReused) {
        return new Upstream(channel, handler, origin, false, isReused, () -> keep(origin, channel, handler, target));
    }

    private void keep(UpstreamOrigin origin, Channel channel, UpstreamHandler handler, UpstreamTarget target) {
        Deque<Idle> kept = idle.computeIfAbsent(origin, _ -> new ArrayDeque<>());
        kept.removeIf(other -> !other.channel().isActive());
        if (!channel.isActive() || kept.size() >= Limits.IDLE_PER_ORIGIN) {
            channel.close();
            return;
        }
        ScheduledFuture<?> expiry =
                loop.schedule((Runnable) channel::close, timeouts.upstreamIdle().toMillis(), TimeUnit.MILLISECONDS);
        kept.addLast(new Idle(channel, handler, target, expiry));
        // So that we hear of its end while nobody uses it.
        channel.read();
    }

    private Optional<Shared> sharedWithRoom(UpstreamOrigin origin) {
        for (Shared found : shared.getOrDefault(origin, List.of())) {
            if (found.channel().isActive() && found.connection().hasRoom()) {
                return Optional.of(found);
            }
        }
        return Optional.empty();
    }

    private void closeIfIdle(UpstreamOrigin origin) {
        loop.schedule(
                () -> List.copyOf(shared.getOrDefault(origin, List.of())).stream()
                        .filter(found -> found.connection().isIdleFor(timeouts.upstreamIdle()))
                        .forEach(found -> found.channel().close()),
                timeouts.upstreamIdle().toMillis() + 10,
                TimeUnit.MILLISECONDS);
    }

    /// Requires: on the loop.
    public void close() {
        idle.values().forEach(kept -> kept.forEach(found -> found.channel().close()));
        shared.values()
                .forEach(kept ->
                        List.copyOf(kept).forEach(found -> found.channel().close()));
        idle.clear();
        shared.clear();
    }
}
