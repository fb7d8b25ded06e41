package dev.capsem.network.http;

import dev.capsem.events.security.AddressClass;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.network.address.AddressLiterals;
import dev.capsem.network.address.NameClasses;
import dev.capsem.network.address.Resolution;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Finds the way to a request's upstream: an address of the host's own resolving, judged before it is connected to, and
/// a connection to that very address. There is no second lookup that could answer differently.
@SuppressWarnings("FutureReturnValueIgnored")
final class UpstreamSearch {
    /// Told once how it ended, on the loop.
    interface Ended {
        /// @param located the request with its address, as it may go on
        void connected(Upstream upstream, SecurityEvent.HttpRequest located);

        void blocked(SecurityEvent.HttpRequest located, Evaluation evaluation);

        void failed(Refusal refusal);

        /// Whether anybody still waits for the end.
        boolean isAwaited();
    }

    private final Stage stage;
    private final EventLoop loop;
    private final Judge judge;
    private final Evidence evidence;
    private final Evaluation verdict;
    private final SecurityEvent.HttpRequest request;
    private final Origin origin;
    private final boolean mayReuse;
    private final UpstreamEvents events;
    private final Ended ended;

    /// @param verdict what was decided about the request before its address was known
    UpstreamSearch(
            Stage stage,
            EventLoop loop,
            Judge judge,
            Evidence evidence,
            Evaluation verdict,
            SecurityEvent.HttpRequest request,
            Origin origin,
            boolean mayReuse,
            UpstreamEvents events,
            Ended ended) {
        this.stage = stage;
        this.loop = loop;
        this.judge = judge;
        this.evidence = evidence;
        this.verdict = verdict;
        this.request = request;
        this.origin = origin;
        this.mayReuse = mayReuse;
        this.events = events;
        this.ended = ended;
    }

    void start() {
        Optional<Place> open = mayReuse ? stage.pools().apply(loop).openPlace(origin) : Optional.empty();
        Optional<Place> known =
                open.or(() -> AddressLiterals.parse(origin.host()).map(Place.At::new));
        if (known.isPresent()) {
            switch (known.get()) {
                case Place.At(InetAddress address) -> tryAddress(List.of(address), 0);
                case Place.Named() -> tryName();
            }
        } else {
            stage.resolver().resolve(origin.host()).thenAcceptAsync(this::resolved, loop);
        }
    }

    private void resolved(Resolution resolution) {
        if (!ended.isAwaited()) {
            return;
        }
        switch (resolution) {
            case Resolution.Addresses(List<InetAddress> addresses) -> tryAddress(addresses, 0);
            case Resolution.Failed(String reason) -> {
                if (origin.via().isPresent()) {
                    tryName();
                } else {
                    ended.failed(Refusal.of(
                            502,
                            "upstream_unresolved",
                            "the host could not be resolved: " + reason,
                            "check the host's name"));
                }
            }
        }
    }

    /// Many companies let only their proxy resolve names of the Internet. What the name itself gives away is judged.
    private void tryName() {
        Optional<InetAddress> standIn = NameClasses.standIn(origin.host());
        if (standIn.isEmpty()) {
            connect(new Place.Named(), request, this::refused);
            return;
        }
        SecurityEvent.HttpRequest located = request.withAddress(standIn.get());
        judged(located, () -> connect(new Place.Named(), located, this::refused));
    }

    private void tryAddress(List<InetAddress> addresses, int place) {
        SecurityEvent.HttpRequest located = request.withAddress(addresses.get(place));
        Runnable connect =
                () -> connect(new Place.At(addresses.get(place)), located, cause -> failed(addresses, place, cause));
        if (AddressClass.of(addresses.get(place)) == AddressClass.PUBLIC && !judge.needsAddress()) {
            connect.run();
        } else {
            judged(located, connect);
        }
    }

    private void judged(SecurityEvent.HttpRequest located, Runnable then) {
        judge.judgeAgain(located, verdict, evaluation -> {
            if (!ended.isAwaited()) {
                return;
            }
            if (evaluation.outcome() instanceof Evaluation.Allowed || isSameRewrite(evaluation)) {
                evidence.judgedRequest(located, evaluation);
                then.run();
            } else {
                // A rewrite for this address alone would come after the request was put together: nothing leaves.
                ended.blocked(located, evaluation);
            }
        });
    }

    /// The rule that changed the request already; its changes are in it.
    private boolean isSameRewrite(Evaluation evaluation) {
        return evaluation.outcome() instanceof Evaluation.Rewritten
                && evaluation.rule().equals(verdict.rule());
    }

    private void connect(Place place, SecurityEvent.HttpRequest located, Consumer<Throwable> onFailure) {
        stage.pools().apply(loop).acquire(origin, place, mayReuse, events).addListener((Future<Upstream> done) -> {
            if (done.isSuccess()) {
                ended.connected(done.getNow(), located);
            } else if (ended.isAwaited()) {
                onFailure.accept(done.cause());
            }
        });
    }

    private void failed(List<InetAddress> addresses, int place, Throwable cause) {
        boolean mayDoBetter = cause instanceof UpstreamFailure failure && failure.isUnreachable();
        int next = place + 1;
        if (mayDoBetter && next < Math.min(addresses.size(), Limits.ADDRESSES_TRIED)) {
            tryAddress(addresses, next);
        } else {
            refused(cause);
        }
    }

    private void refused(Throwable cause) {
        ended.failed(
                cause instanceof UpstreamFailure failure
                        ? failure.refusal()
                        : Refusal.of(502, "upstream_failed", "no connection to the upstream", "try again"));
    }
}
