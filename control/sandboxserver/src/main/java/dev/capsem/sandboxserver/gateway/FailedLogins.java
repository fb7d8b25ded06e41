package dev.capsem.sandboxserver.gateway;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/// Counts requests without a valid token within the last minute. All callers together: they all come from loopback.
final class FailedLogins {
    static final int FAILURES_MAX = 20;
    static final Duration WINDOW = Duration.ofSeconds(60);

    private final Clock clock;
    private final Deque<Instant> recent = new ArrayDeque<>();

    FailedLogins(Clock clock) {
        this.clock = clock;
    }

    /// One more. Present when there were too many: milliseconds until one is forgiven.
    synchronized Optional<Long> count() {
        Instant now = clock.instant();
        while (!recent.isEmpty() && !recent.getFirst().isAfter(now.minus(WINDOW))) {
            recent.removeFirst();
        }
        if (recent.size() >= FAILURES_MAX) {
            return Optional.of(
                    Duration.between(now, recent.getFirst().plus(WINDOW)).toMillis());
        }
        recent.addLast(now);
        return Optional.empty();
    }
}
