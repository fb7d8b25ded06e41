package dev.capsem.exchange.http;

import dev.capsem.events.address.AddressClass;
import dev.capsem.events.security.SecurityEvent;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/// Chooses where a request that may leave goes: one address after the other, each judged where rules have a say.
final class UpstreamSelector {
    /// Addresses of one name that are tried before giving up.
    private static final int ADDRESSES_TRIED = 3;

    sealed interface Choice {
        /// Rules must be asked about it first.
        record Judge(UpstreamTarget target, SecurityEvent.HttpRequest located) implements Choice {}

        record Connect(UpstreamTarget target, SecurityEvent.HttpRequest located) implements Choice {}

        record GiveUp(Refusal refusal) implements Choice {}
    }

    private final SecurityEvent.HttpRequest request;
    private final BooleanSupplier needsAddress;
    private final Function<String, Optional<InetAddress>> standIn;
    private List<UpstreamTarget> targets = List.of();
    private int tried;

    /// @param needsAddress whether rules may decide by a public address
    /// @param standIn an address of the class that a host name belongs to by itself
    UpstreamSelector(
            SecurityEvent.HttpRequest request,
            BooleanSupplier needsAddress,
            Function<String, Optional<InetAddress>> standIn) {
        this.request = request;
        this.needsAddress = needsAddress;
        this.standIn = standIn;
    }

    Choice located(List<UpstreamTarget> found) {
        targets = found;
        return next();
    }

    /// Many companies let only their proxy resolve names of the Internet.
    Choice unresolved(String reason, boolean isBehindProxy) {
        return isBehindProxy
                ? named()
                : new Choice.GiveUp(Refusal.of(
                        502,
                        "upstream_unresolved",
                        "the host could not be resolved: " + reason,
                        "check the host's name"));
    }

    /// The last choice could not be connected to.
    Choice after(Refusal refusal, boolean isUnreachable) {
        return isUnreachable && tried < Math.min(targets.size(), ADDRESSES_TRIED) ? next() : new Choice.GiveUp(refusal);
    }

    private Choice next() {
        return switch (targets.get(tried++)) {
            case UpstreamTarget.Named() -> named();
            case UpstreamTarget.At(InetAddress address) -> {
                UpstreamTarget target = new UpstreamTarget.At(address);
                SecurityEvent.HttpRequest located = request.withAddress(address);
                boolean isPlain = AddressClass.of(address) == AddressClass.PUBLIC && !needsAddress.getAsBoolean();
                yield isPlain ? new Choice.Connect(target, located) : new Choice.Judge(target, located);
            }
        };
    }

    /// Where nobody here knows the address, the class that the name itself gives away is judged.
    private Choice named() {
        UpstreamTarget target = new UpstreamTarget.Named();
        return standIn.apply(request.host())
                .<Choice>map(address -> new Choice.Judge(target, request.withAddress(address)))
                .orElseGet(() -> new Choice.Connect(target, request));
    }
}
