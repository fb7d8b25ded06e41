package dev.capsem.http;

import java.time.Duration;

/// Told of every request that found its route, when it is answered. Must not block.
public interface RouteWatch {
    RouteWatch NONE = (_, _, _, _) -> {};

    /// @param took without the time to write the answer
    /// @param code of a refusal, else empty
    void answered(Route route, int status, String code, Duration took);
}
