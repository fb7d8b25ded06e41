package dev.capsem.security.condition;

import dev.capsem.security.schema.Field;

/// A test on one field that an index can answer for many rules at once.
///
/// @param text what the field's value equals, ends with or starts with
public record Key(Field field, Kind kind, String text) {
    /// From the most selective to the least.
    public enum Kind {
        EQUALS(0),
        ENDS_WITH(10),
        STARTS_WITH(20);

        private final int cost;

        Kind(int cost) {
            this.cost = cost;
        }

        public int cost() {
            return cost;
        }
    }
}
