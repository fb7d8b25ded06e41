package dev.capsem.network.http.limit;

import java.time.Duration;

/// How long we wait for what.
///
/// @param connect for an upstream's TCP connection, and again for its TLS
/// @param guestHandshake for the guest's TLS
/// @param firstByte for anything to be said on a new connection: where the server would speak first, nobody ever does
/// @param requestHead from a request's first byte to the end of its head
/// @param guestIdle between two requests on a connection
/// @param responseHead from the end of a request to the head of its response: models think for minutes
/// @param bodyIdle without a byte in either direction, once the response is under way
/// @param heldStream for the end of a stream of events that a rule must read as a whole; then it is refused, since one
///     that never ends would never reach anybody. Models say when they are done, and are waited for
/// @param upstreamIdle how long an upstream connection is kept for the next request
public record Timeouts(
        Duration connect,
        Duration guestHandshake,
        Duration firstByte,
        Duration requestHead,
        Duration guestIdle,
        Duration responseHead,
        Duration bodyIdle,
        Duration heldStream,
        Duration upstreamIdle) {
    public static final Timeouts USUAL = new Timeouts(
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofSeconds(30),
            Duration.ofMinutes(5),
            Duration.ofMinutes(15),
            Duration.ofMinutes(15),
            Duration.ofSeconds(60),
            Duration.ofSeconds(60));
}
