package dev.capsem.security.condition.compile;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

/// The names that a condition may refer to beside the event.
///
/// @param zone in which `now` is read
/// @param lists by the name of their file
public record ConditionScope(ZoneId zone, Map<String, List<String>> lists) {
    public static final ConditionScope PLAIN = new ConditionScope(ZoneOffset.UTC, Map.of());

    public ConditionScope {
        lists = Map.copyOf(lists);
    }
}
