package dev.capsem.events.vocabulary;

import java.time.InstantSource;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/// Makes new ids. Event ids of one source sort by time and never repeat, so that the database appends to its index
/// instead of inserting all over it. Safe for many threads if the generator is.
public final class IdSource {
    /// Ids made in one millisecond share its number; a 16-bit counter tells them apart and runs ahead of the clock
    /// when a millisecond has more.
    private static final int COUNTER_BITS = 16;

    private static final HexFormat HEX = HexFormat.of();

    private final InstantSource clock;
    private final RandomGenerator random;
    private final String suffix;
    private final AtomicLong last = new AtomicLong();

    public IdSource(InstantSource clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
        this.suffix = HEX.toHexDigits(random.nextInt());
    }

    public EventId nextEventId() {
        long now = clock.millis() << COUNTER_BITS;
        long ticket = last.accumulateAndGet(now, (previous, wanted) -> Math.max(previous + 1, wanted));
        return new EventId("ev-" + HEX.toHexDigits(ticket) + suffix);
    }

    public TraceId newTraceId() {
        return new TraceId(HEX.toHexDigits(nonZero()) + HEX.toHexDigits(random.nextLong()));
    }

    public SpanId newSpanId() {
        return new SpanId(HEX.toHexDigits(nonZero()));
    }

    /// W3C trace context forbids ids of zeros only.
    private long nonZero() {
        long value = random.nextLong();
        return value == 0 ? 1 : value;
    }
}
