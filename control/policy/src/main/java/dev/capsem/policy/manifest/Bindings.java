package dev.capsem.policy.manifest;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The values given for parameters, in the order they were given.
public record Bindings(Map<String, List<String>> values) {
    public static final Bindings NONE = new Bindings(Map.of());

    public Bindings {
        Map<String, List<String>> copy = new LinkedHashMap<>();
        values.forEach((name, list) -> copy.put(name, List.copyOf(list)));
        values = Collections.unmodifiableMap(copy);
    }

    public Bindings with(String name, String value) {
        Map<String, List<String>> next = new LinkedHashMap<>(values);
        List<String> list = new ArrayList<>(next.getOrDefault(name, List.of()));
        list.add(value);
        next.put(name, list);
        return new Bindings(next);
    }
}
