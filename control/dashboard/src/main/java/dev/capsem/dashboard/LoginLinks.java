package dev.capsem.dashboard;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Tokens of links, each good for one login. They are in memory only: a restart of the service voids them.
final class LoginLinks {
    static final Duration GOOD_FOR = Duration.ofMinutes(5);
    private static final int OPEN_MAX = 64;
    private static final int BYTES = 32;

    private final Clock clock;
    private final SecureRandom random;
    private final Map<String, Instant> open = new HashMap<>();

    LoginLinks(Clock clock, SecureRandom random) {
        this.clock = clock;
        this.random = random;
    }

    synchronized String make() {
        Instant now = clock.instant();
        open.values().removeIf(end -> !end.isAfter(now));
        if (open.size() >= OPEN_MAX) {
            // All were made by the owner within minutes; the oldest are the least likely to be clicked.
            open.clear();
        }
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        open.put(token, now.plus(GOOD_FOR));
        return token;
    }

    /// Whether it was good. It is not any more.
    synchronized boolean use(String token) {
        @Nullable Instant end = open.remove(token);
        return end != null && end.isAfter(clock.instant());
    }
}
