package dev.capsem.events.row;

import dev.capsem.events.vocabulary.Timestamps;
import dev.capsem.events.vocabulary.WireNamed;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// Takes a row's values, one call per column of its shape, in that order. Optionals are parameters here, against
/// the usual rule: this is where rows unpack, and once is better than in forty places.
public interface RowValues {
    void text(String value);

    void integer(long value);

    void real(double value);

    void absent();

    default void text(Optional<String> value) {
        value.ifPresentOrElse(this::text, this::absent);
    }

    default void name(WireNamed value) {
        text(value.wireName());
    }

    default void name(Optional<? extends WireNamed> value) {
        text(value.map(WireNamed::wireName));
    }

    /// An id: its `toString` is its text.
    default void id(Optional<? extends Record> value) {
        text(value.map(Record::toString));
    }

    default void at(Instant value) {
        text(Timestamps.text(value));
    }

    default void millis(Duration value) {
        integer(value.toMillis());
    }

    default void flag(boolean value) {
        integer(value ? 1 : 0);
    }

    default void flag(Optional<Boolean> value) {
        value.ifPresentOrElse(this::flag, this::absent);
    }

    default void integer(OptionalInt value) {
        value.ifPresentOrElse(this::integer, this::absent);
    }

    default void integer(OptionalLong value) {
        value.ifPresentOrElse(this::integer, this::absent);
    }

    default void real(OptionalDouble value) {
        value.ifPresentOrElse(this::real, this::absent);
    }
}
