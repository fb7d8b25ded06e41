package dev.capsem.network.http.limit;

import java.time.Duration;

/// How much is held at a time of the bodies that rules must read, as they came and as they are decoded.
///
/// @param bytes of all requests together, and as much again of all responses
/// @param patience how long a body waits for room before it is refused
public record BodyRoom(long bytes, Duration patience) {
    /// Three bodies of the largest size that is inspected, or sixty of half a megabyte.
    public static final BodyRoom USUAL = new BodyRoom(64L << 20, Duration.ofSeconds(10));
}
