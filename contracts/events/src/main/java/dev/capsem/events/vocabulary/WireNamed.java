package dev.capsem.events.vocabulary;

import java.util.Arrays;
import java.util.Optional;

/// A constant with a name outside Java: in the database, in JSON, in rules.
public interface WireNamed {
    String wireName();

    /// The constant of that name, or empty for a name this version does not know.
    static <E extends Enum<E> & WireNamed> Optional<E> parse(Class<E> names, String text) {
        return Arrays.stream(names.getEnumConstants())
                .filter(constant -> constant.wireName().equals(text))
                .findFirst();
    }
}
