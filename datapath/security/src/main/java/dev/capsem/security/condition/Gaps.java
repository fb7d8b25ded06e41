package dev.capsem.security.condition;

import dev.capsem.security.schema.Field;
import dev.capsem.security.schema.Schema;
import dev.capsem.security.schema.Unknown;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/// What a record did not keep of an event that is judged again. A condition that depends on it is neither true nor
/// false but [Match#OPEN].
///
/// @param values what rules read in place of the event's own value
public record Gaps(Map<Field, Object> values) {
    public static final Gaps NONE = new Gaps(Map.of());

    public Gaps {
        values = Map.copyOf(values);
    }

    /// Fields that had a value, which is not known any more.
    public static Gaps at(Collection<String> paths) {
        return NONE.with(paths);
    }

    public Gaps with(Collection<String> paths) {
        Map<Field, Object> all = new HashMap<>(values);
        paths.forEach(path -> all.put(Schema.standard().field(path).orElseThrow(), Unknown.OPAQUE));
        return new Gaps(all);
    }

    /// Headers, of which some are known by name only.
    ///
    /// @param byName lists of texts, or [Unknown#OPAQUE]
    public Gaps withHeaders(String path, Map<String, Object> byName) {
        Map<Field, Object> all = new HashMap<>(values);
        all.put(Schema.standard().field(path).orElseThrow(), Map.copyOf(byName));
        return new Gaps(all);
    }
}
