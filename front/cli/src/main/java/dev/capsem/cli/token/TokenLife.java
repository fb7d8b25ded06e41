package dev.capsem.cli.token;

import dev.capsem.cli.command.CliProblem;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// How long a token lasts, as people write it: `90s`, `45m`, `12h`, `30d`, `never`.
record TokenLife(long seconds) {
    private static final Pattern FORM = Pattern.compile("(\\d{1,6})([smhd])");

    /// 0 means never.
    static TokenLife parse(String text) {
        if (text.equals("never")) {
            return new TokenLife(0);
        }
        Matcher form = FORM.matcher(text);
        if (!form.matches() || Long.parseLong(form.group(1)) == 0) {
            throw CliProblem.usage("--ttl is not a time", "write it like 90s, 45m, 12h or 30d, or never");
        }
        long count = Long.parseLong(form.group(1));
        Duration life = switch (form.group(2)) {
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            default -> Duration.ofDays(count);
        };
        return new TokenLife(life.toSeconds());
    }
}
