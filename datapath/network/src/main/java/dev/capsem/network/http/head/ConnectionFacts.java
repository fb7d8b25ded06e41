package dev.capsem.network.http.head;

import dev.capsem.events.row.Caller;
import dev.capsem.exchange.http.Refusal;
import java.net.InetAddress;
import java.util.Optional;
import java.util.OptionalInt;

/// The facts about a guest's connection before its first request.
///
/// @param scheme `http` or `https`
/// @param name the host this connection is for, as its TLS or its CONNECT said; none on plain connections
/// @param port where the guest wanted to connect to, if it said so
/// @param destination the address it wanted to connect to, if it said so and not to a proxy
/// @param refusal why every request on it is refused: its parts contradict each other
/// @param openedNanos when it was accepted, on the clock of [System#nanoTime()]
public record ConnectionFacts(
        String scheme,
        Optional<String> name,
        OptionalInt port,
        Optional<InetAddress> destination,
        Caller caller,
        Optional<Refusal> refusal,
        long openedNanos) {

    public boolean isTls() {
        return scheme.equals("https");
    }

    public String connectionType() {
        return isTls() ? "https-mitm" : "http-mitm";
    }

    public int portOr(int fallback) {
        return port.orElse(fallback);
    }

    public ConnectionFacts tls(String host, Optional<Refusal> why) {
        return new ConnectionFacts("https", Optional.of(host), port, destination, caller, why, openedNanos);
    }

    /// Inside a CONNECT: the name is the one that the guest gave, and there is no address to compare it with.
    public ConnectionFacts tunnel(Authority to, int toPort) {
        return new ConnectionFacts(
                "http",
                Optional.of(to.host()),
                OptionalInt.of(toPort),
                Optional.empty(),
                caller,
                Optional.empty(),
                openedNanos);
    }
}
