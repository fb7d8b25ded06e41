package dev.capsem.events.budget;

import dev.capsem.events.vocabulary.WireNamed;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.Locale;
import java.util.Optional;

/// After what a budget begins anew.
public enum BudgetWindow implements WireNamed {
    /// From one start of a sandbox to its stop.
    RUN,
    /// The life of a sandbox, with all its forks.
    SESSION,
    HOUR,
    DAY,
    /// Begins on Monday.
    WEEK,
    MONTH,
    /// Never.
    TOTAL;

    private final String wireName = name().toLowerCase(Locale.ROOT);

    @Override
    public String wireName() {
        return wireName;
    }

    /// Whether each sandbox has a sum of its own.
    public boolean isPerSandbox() {
        return this == RUN || this == SESSION;
    }

    /// When the window that holds this moment began; the epoch if time does not end it.
    public Instant start(Instant at, ZoneId zone) {
        ZonedDateTime local = at.atZone(zone);
        return switch (this) {
            case RUN, SESSION, TOTAL -> Instant.EPOCH;
            case HOUR -> local.truncatedTo(ChronoUnit.HOURS).toInstant();
            case DAY -> day(local);
            case WEEK -> day(local.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY)));
            case MONTH -> day(local.withDayOfMonth(1));
        };
    }

    /// When the next window begins; none if time does not end this one.
    public Optional<Instant> end(Instant at, ZoneId zone) {
        ZonedDateTime start = start(at, zone).atZone(zone);
        return switch (this) {
            case RUN, SESSION, TOTAL -> Optional.empty();
            case HOUR -> Optional.of(start.plusHours(1).toInstant());
            case DAY -> Optional.of(day(start.plusDays(1)));
            case WEEK -> Optional.of(day(start.plusWeeks(1)));
            case MONTH -> Optional.of(day(start.plusMonths(1)));
        };
    }

    /// Where clocks skip midnight, the day begins with its first moment.
    private static Instant day(ZonedDateTime local) {
        return local.toLocalDate().atStartOfDay(local.getZone()).toInstant();
    }
}
