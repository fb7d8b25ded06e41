package dev.capsem.dashboard;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/// The cookie of a browser that has logged in: `EXPIRES.NONCE.SIGNATURE`. It needs no table, so a page that was left
/// open goes on after a restart of the service.
final class LoginCookie {
    static final Duration GOOD_FOR = Duration.ofDays(30);
    static final String NAME = "capsem_ui";

    private static final String PURPOSE = "cookie";
    private static final String CSRF = "csrf";
    private static final int NONCE_BYTES = 16;
    private static final int PARTS = 3;
    private static final int LENGTH_MAX = 256;

    private final SigningKey key;
    private final Clock clock;

    LoginCookie(SigningKey key, Clock clock) {
        this.key = key;
        this.clock = clock;
    }

    String make(SecureRandom random) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        String text = clock.instant().plus(GOOD_FOR).getEpochSecond() + "."
                + Base64.getUrlEncoder().withoutPadding().encodeToString(nonce);
        return text + "." + key.sign(PURPOSE, text);
    }

    /// The value of our cookie in a Cookie header, if it is good.
    Optional<String> in(String header) {
        return Arrays.stream(header.split(";", -1))
                .map(String::strip)
                .filter(part -> part.startsWith(NAME + "="))
                .map(part -> part.substring(NAME.length() + 1))
                .filter(this::isGood)
                .findFirst();
    }

    private boolean isGood(String value) {
        if (value.length() > LENGTH_MAX) {
            return false;
        }
        List<String> parts = List.of(value.split("\\.", -1));
        if (parts.size() != PARTS) {
            return false;
        }
        if (!key.isSignature(PURPOSE, parts.get(0) + "." + parts.get(1), parts.get(2))) {
            return false;
        }
        return Instant.ofEpochSecond(Long.parseLong(parts.get(0))).isAfter(clock.instant());
    }

    /// What a page of ours sends with every request that changes something.
    String csrf(String cookie) {
        return key.sign(CSRF, cookie);
    }

    boolean isCsrf(String cookie, String given) {
        return key.isSignature(CSRF, cookie, given);
    }
}
