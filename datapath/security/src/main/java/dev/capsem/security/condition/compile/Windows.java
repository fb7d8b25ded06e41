package dev.capsem.security.condition.compile;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Lengths of time as rules write them: `30s`, `10m`, `24h`.
final class Windows {
    /// A day of timestamps fits the bounds of what is counted; more belongs into a budget.
    static final Duration LONGEST = Duration.ofHours(24);

    private static final Pattern LENGTH = Pattern.compile("([1-9][0-9]{0,4})([smh])");

    private Windows() {}

    static Optional<Duration> parse(String text) {
        Matcher matcher = LENGTH.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        long count = Long.parseLong(matcher.group(1));
        Duration length = switch (matcher.group(2)) {
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            default -> Duration.ofHours(count);
        };
        return length.compareTo(LONGEST) <= 0 ? Optional.of(length) : Optional.empty();
    }
}
