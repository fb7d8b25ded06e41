package dev.capsem.policy.grammar;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What follows the `?` of a capability. Only `nestedSandbox` has a meaning; other names travel along unread.
public record Refinements(List<Refinement> list) {
    public static final Refinements NONE = new Refinements(List.of());
    public static final String NESTED_SANDBOX = "nestedSandbox";

    /// A name with its value, or without one when there was no `=`.
    public record Refinement(String name, Optional<String> value) {}

    public Refinements {
        list = List.copyOf(list);
    }

    public boolean nestedSandbox() {
        return list.stream()
                .filter(r -> r.name().equals(NESTED_SANDBOX))
                .flatMap(r -> r.value().stream())
                .anyMatch(value -> value.equals("true") || value.equals("1"));
    }

    /// A later refinement of the same name replaces the earlier one.
    Refinements plus(Refinement added) {
        List<Refinement> next = new ArrayList<>(list);
        next.removeIf(r -> r.name().equals(added.name()));
        next.add(added);
        return new Refinements(next);
    }

    String print() {
        if (list.isEmpty()) {
            return "";
        }
        StringBuilder out = new StringBuilder();
        for (Refinement refinement : list) {
            out.append(out.isEmpty() ? '?' : '&').append(refinement.name());
            refinement.value().ifPresent(value -> out.append('=').append(value));
        }
        return out.toString();
    }
}
