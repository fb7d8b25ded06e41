package dev.capsem.service.diagnose;

import dev.capsem.service.problem.ServiceProblem;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// `?since=`: `30m` means the last half hour, `2026-03-01T10:00:00Z` from then on.
public final class Since {
    private static final Pattern AGO = Pattern.compile("(\\d{1,9})([smhd])");

    private Since() {}

    public static Instant parse(String text, Instant now) {
        Matcher ago = AGO.matcher(text);
        if (ago.matches()) {
            long amount = Long.parseLong(ago.group(1));
            return now.minus(
                    switch (ago.group(2)) {
                        case "s" -> Duration.ofSeconds(amount);
                        case "m" -> Duration.ofMinutes(amount);
                        case "h" -> Duration.ofHours(amount);
                        default -> Duration.of(amount, ChronoUnit.DAYS);
                    });
        }
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_QUERY,
                    "since is neither an age nor a time",
                    "use 90s, 30m, 6h, 2d or 2026-03-01T10:00:00Z",
                    e);
        }
    }
}
