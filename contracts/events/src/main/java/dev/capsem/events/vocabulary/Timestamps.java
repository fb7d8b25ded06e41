package dev.capsem.events.vocabulary;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/// The one text form of an instant: RFC 3339, UTC, always six digits of fraction, so that texts sort as times do.
public final class Timestamps {
    private Timestamps() {}

    /// Requires: a year from 0 to 9999.
    public static String text(Instant instant) {
        LocalDateTime at = LocalDateTime.ofEpochSecond(instant.getEpochSecond(), instant.getNano(), ZoneOffset.UTC);
        byte[] text = {
            '0', '0', '0', '0', '-', '0', '0', '-', '0', '0', 'T', '0', '0', ':', '0', '0', ':', '0', '0', '.', '0',
            '0', '0', '0', '0', '0', 'Z'
        };
        digits(text, 0, 4, at.getYear());
        digits(text, 5, 2, at.getMonthValue());
        digits(text, 8, 2, at.getDayOfMonth());
        digits(text, 11, 2, at.getHour());
        digits(text, 14, 2, at.getMinute());
        digits(text, 17, 2, at.getSecond());
        digits(text, 20, 6, at.getNano() / 1_000);
        return new String(text, StandardCharsets.US_ASCII);
    }

    private static void digits(byte[] text, int from, int count, int value) {
        int rest = value;
        for (int i = from + count - 1; i >= from; i--) {
            text[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
    }
}
