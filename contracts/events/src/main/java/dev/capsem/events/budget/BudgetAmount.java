package dev.capsem.events.budget;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// So much of a unit.
///
/// @param value in the unit; of US dollars, millionths
public record BudgetAmount(BudgetUnit unit, long value) {
    /// A billion dollars, or 10^15 tokens or requests: sums of many stay far below what a `long` holds.
    public static final long VALUE_MAX = 1_000_000_000_000_000L;

    public static final String FORM = "a number and usd, tokens or requests, such as \"5usd\" or \"200000 tokens\"";

    private static final int MICROS_DIGITS = 6;
    private static final Pattern TEXT = Pattern.compile("([0-9]{1,15})(\\.[0-9]{1,6})? ?(usd|tokens|requests)");

    public BudgetAmount {
        if (value < 0 || value > VALUE_MAX) {
            throw new IllegalArgumentException("an amount is from 0 to " + VALUE_MAX);
        }
    }

    /// As people write it; empty if it is no amount above zero.
    public static Optional<BudgetAmount> parse(String text) {
        Matcher parts = TEXT.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!parts.matches()) {
            return Optional.empty();
        }
        BudgetUnit unit = BudgetUnit.valueOf(parts.group(3).toUpperCase(Locale.ROOT));
        if (unit != BudgetUnit.USD && parts.group(2) != null) {
            return Optional.empty();
        }
        String fraction = parts.group(2) == null ? "" : parts.group(2);
        BigDecimal number = new BigDecimal(parts.group(1) + fraction);
        BigDecimal value = unit == BudgetUnit.USD ? number.movePointRight(MICROS_DIGITS) : number;
        return value.signum() > 0 && value.compareTo(BigDecimal.valueOf(VALUE_MAX)) <= 0
                ? Optional.of(new BudgetAmount(unit, value.longValueExact()))
                : Optional.empty();
    }

    /// As [#parse] reads it.
    public String spelling() {
        return switch (unit) {
            case USD ->
                BigDecimal.valueOf(value, MICROS_DIGITS).stripTrailingZeros().toPlainString() + "usd";
            case TOKENS -> value + " tokens";
            case REQUESTS -> value + " requests";
        };
    }

    /// As people read it.
    public String shown() {
        return switch (unit) {
            case USD -> "$" + dollars();
            case TOKENS -> value + (value == 1 ? " token" : " tokens");
            case REQUESTS -> value + (value == 1 ? " request" : " requests");
        };
    }

    /// Whole cents, unless it is less than ten of them.
    private String dollars() {
        BigDecimal whole = BigDecimal.valueOf(value, MICROS_DIGITS);
        boolean isTiny = value != 0 && value < 100_000;
        return isTiny
                ? whole.setScale(4, RoundingMode.UP).toPlainString()
                : whole.setScale(2, RoundingMode.UP).toPlainString();
    }
}
