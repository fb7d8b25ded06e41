package dev.capsem.sandboxserver.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class FailedLoginsTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private volatile Instant now = START;
    private final InstantSource source = () -> now;
    private final FailedLogins logins = new FailedLogins(source.withZone(ZoneOffset.UTC));

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            assertThat(logins.count()).as("failure %d", i + 1).isEmpty();
        }
    }

    @Test
    void theTwentyFirstWithinAMinuteIsTooMany() {
        fail(FailedLogins.FAILURES_MAX);

        assertThat(logins.count()).contains(60_000L);
        now = START.plusMillis(59_999);
        assertThat(logins.count()).contains(1L);
    }

    @Test
    void eachIsForgivenAfterItsMinute() {
        fail(1);
        now = START.plusSeconds(10);
        fail(FailedLogins.FAILURES_MAX - 1);
        now = START.plusSeconds(60);

        fail(1);

        assertThat(logins.count()).contains(10_000L);
        now = START.plusSeconds(70);
        fail(FailedLogins.FAILURES_MAX - 1);
        assertThat(logins.count()).contains(50_000L);
    }

    @Test
    void whatIsRefusedDoesNotCountAgain() {
        fail(FailedLogins.FAILURES_MAX);
        now = START.plusSeconds(30);
        assertThat(logins.count()).contains(30_000L);
        now = START.plusSeconds(60);

        fail(FailedLogins.FAILURES_MAX);
    }

    @Test
    void startsWithNone() {
        Clock clock = Clock.fixed(START, ZoneOffset.UTC);

        assertThat(new FailedLogins(clock).count()).isEmpty();
    }
}
