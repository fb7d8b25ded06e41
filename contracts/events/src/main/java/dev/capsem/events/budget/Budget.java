package dev.capsem.events.budget;

import dev.capsem.events.vocabulary.WireNamed;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// How much may be spent on what within which time. A call passes only if every budget that it matches has room
/// for it.
///
/// @param match a condition on the call; every call of its unit if empty
/// @param zone in which days begin
/// @param softPercent from how much of the limit on people are warned
public record Budget(
        String name,
        Optional<String> match,
        BudgetAmount limit,
        BudgetWindow window,
        ZoneId zone,
        OptionalInt softPercent,
        Then then,
        Unpriced unpriced) {
    /// The limit that a person gives one sandbox when it is made.
    public static final String OWN = "own";

    public static final String NAME_FORM = "1 to 64 letters, digits, _ and -";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    /// What becomes of a call that there is no room for.
    public enum Then implements WireNamed {
        /// It passes, and people are warned.
        WARN,
        /// A person decides.
        ASK,
        STOP;

        private final String wireName = name().toLowerCase(Locale.ROOT);

        @Override
        public String wireName() {
            return wireName;
        }
    }

    /// What becomes of a call whose price nobody knows, where dollars are counted.
    public enum Unpriced implements WireNamed {
        /// It passes; its tokens are counted and shown.
        COUNT_TOKENS,
        BLOCK;

        private final String wireName = name().toLowerCase(Locale.ROOT).replace('_', '-');

        @Override
        public String wireName() {
            return wireName;
        }
    }

    public Budget {
        if (!isName(name)) {
            throw new IllegalArgumentException("a budget's name has " + NAME_FORM);
        }
        if (limit.value() == 0) {
            throw new IllegalArgumentException("a budget of nothing would be a rule");
        }
    }

    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /// What one sandbox, with its forks, may spend in its life.
    public static Budget own(BudgetAmount limit) {
        return new Budget(
                OWN,
                Optional.empty(),
                limit,
                BudgetWindow.SESSION,
                ZoneId.of("UTC"),
                OptionalInt.empty(),
                Then.STOP,
                Unpriced.BLOCK);
    }

    /// The words of a set, for messages: `"warn", "ask" or "stop"`.
    public static <E extends Enum<E> & WireNamed> String words(Class<E> set) {
        String all = Arrays.stream(set.getEnumConstants())
                .map(one -> "\"" + one.wireName() + "\"")
                .collect(Collectors.joining(", "));
        int last = all.lastIndexOf(", ");
        return all.substring(0, last) + " or " + all.substring(last + 2);
    }
}
