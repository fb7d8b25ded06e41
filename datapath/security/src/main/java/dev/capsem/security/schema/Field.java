package dev.capsem.security.schema;

import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.EventType;
import dev.cel.common.types.CelType;
import java.util.Set;

/// One path that a rule may read.
///
/// @param ordinal its place in the schema, for caching values of one event
/// @param at the events at which it is known
/// @param isOmittable whether the guest can leave it out
/// @param isShowable whether an explanation may print its value; bodies, headers and arguments are never
///     printed
/// @param meaning one line for the reference page
public record Field(
        int ordinal,
        String path,
        CelType type,
        Set<EventType> at,
        boolean isOmittable,
        boolean isShowable,
        String meaning,
        Reader reader) {
    /// Takes the value from an event of a type in `at`: a CEL value, or an [Unknown].
    @FunctionalInterface
    public interface Reader {
        Object read(SecurityEvent event);
    }

    public Field {
        at = Set.copyOf(at);
    }

    /// `MISSING` at events that do not have the field at all.
    public Object read(SecurityEvent event) {
        return at.contains(event.type()) ? reader.read(event) : Unknown.MISSING;
    }

    @Override
    public String toString() {
        return path;
    }
}
