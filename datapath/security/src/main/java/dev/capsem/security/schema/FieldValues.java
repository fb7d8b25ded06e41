package dev.capsem.security.schema;

import dev.capsem.events.security.Body;
import dev.capsem.events.security.JsonDocument;
import java.util.Optional;
import java.util.OptionalLong;

/// Values of an event as rules see them: what is not there is an [Unknown].
final class FieldValues {
    private FieldValues() {}

    static Object state(Body body) {
        return body instanceof Body.Unread ? Unknown.UNREAD : body.state();
    }

    static Object text(Body body) {
        return switch (body) {
            case Body.Text text -> text.text();
            case Body.Absent _ -> Unknown.MISSING;
            case Body.Unread _ -> Unknown.UNREAD;
            case Body.TooLarge _, Body.Redacted _ -> Unknown.OPAQUE;
        };
    }

    static Object size(Body body) {
        return switch (body) {
            case Body.Text text -> text.size();
            case Body.Absent _ -> 0L;
            case Body.Unread _ -> Unknown.UNREAD;
            case Body.TooLarge large -> orOpaque(large.size());
            case Body.Redacted cut -> orOpaque(cut.size());
        };
    }

    static Object root(Optional<JsonDocument> document) {
        return document.isPresent() ? document.get().root() : Unknown.MISSING;
    }

    static Object orOpaque(OptionalLong value) {
        return value.isPresent() ? (Object) value.getAsLong() : Unknown.OPAQUE;
    }

    static Object orMissing(Optional<String> value) {
        return value.isPresent() ? value.get() : Unknown.MISSING;
    }

    static Object orMissing(OptionalLong value) {
        return value.isPresent() ? (Object) value.getAsLong() : Unknown.MISSING;
    }
}
