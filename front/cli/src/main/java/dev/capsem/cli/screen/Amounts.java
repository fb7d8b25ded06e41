package dev.capsem.cli.screen;

import java.util.Locale;

/// Numbers as people read them.
public final class Amounts {
    private Amounts() {}

    /// `12 s`, `4 min`, `3 h 20 min`, `2 d 5 h`.
    public static String duration(long seconds) {
        if (seconds < 60) {
            return seconds + " s";
        }
        long minutes = seconds / 60;
        if (minutes < 60) {
            return minutes + " min";
        }
        long hours = minutes / 60;
        return hours < 24
                ? hours + " h" + (minutes % 60 == 0 ? "" : " " + minutes % 60 + " min")
                : hours / 24 + " d" + (hours % 24 == 0 ? "" : " " + hours % 24 + " h");
    }

    /// `7 ms`, `1.25 s`, then as [#duration].
    public static String millis(long millis) {
        if (millis < 1_000) {
            return millis + " ms";
        }
        return millis < 60_000 ? String.format(Locale.ROOT, "%.2f s", millis / 1_000.0) : duration(millis / 1_000);
    }

    /// `812 B`, `4.0 KiB`, `1.5 GiB`.
    public static String bytes(long bytes) {
        if (bytes < 1_024) {
            return bytes + " B";
        }
        double amount = bytes;
        int unit = 0;
        while (amount >= 1_024 && unit < 4) {
            amount /= 1_024;
            unit++;
        }
        return String.format(Locale.ROOT, "%.1f %ciB", amount, " KMGT".charAt(unit));
    }

    public static String counted(long count, String singular) {
        return count + " " + singular + (count == 1 ? "" : "s");
    }
}
