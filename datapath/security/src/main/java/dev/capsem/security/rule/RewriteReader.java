package dev.capsem.security.rule;

import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Headers;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.source.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.tomlj.TomlArray;
import org.tomlj.TomlTable;

/// Reads what a rewrite rule changes.
final class RewriteReader {
    private final TableReader in;

    RewriteReader(TableReader in) {
        this.in = in;
    }

    Optional<Rewrite> read(TomlTable table, Optional<EventType> on, Optional<Decision> decision, Place place) {
        List<String> given = Stream.of(
                        "strip_request_headers", "strip_response_headers", "rewrite_target", "rewrite_value")
                .filter(key -> table.contains(List.of(key)))
                .toList();
        if (decision.isPresent() && decision.get() != Decision.REWRITE) {
            given.forEach(key -> in.error(in.place(table, key), key + " is only for rules whose decision is rewrite."));
            return Optional.empty();
        }
        if (decision.isPresent() && given.isEmpty()) {
            in.error(
                    place,
                    "a rewrite needs strip_request_headers, strip_response_headers, or rewrite_target with"
                            + " rewrite_value.");
        }
        int before = in.problems();
        List<String> stripped = new ArrayList<>();
        stripped.addAll(stripped(table, "strip_request_headers", on, EventType.HTTP_REQUEST));
        stripped.addAll(stripped(table, "strip_response_headers", on, EventType.HTTP_RESPONSE));
        Optional<Replacement> replacement = replacement(table, on);
        return given.isEmpty() || in.problems() > before
                ? Optional.empty()
                : Optional.of(new Rewrite(stripped, replacement));
    }

    private List<String> stripped(TomlTable table, String key, Optional<EventType> on, EventType needed) {
        Object value = table.get(List.of(key));
        if (value == null) {
            return List.of();
        }
        if (on.isPresent() && on.get() != needed) {
            in.error(in.place(table, key), key + " works at " + needed.wireName() + " only.");
        }
        List<String> names = new ArrayList<>();
        boolean valid = value instanceof TomlArray;
        if (value instanceof TomlArray array) {
            for (Object element : array.toList()) {
                valid &= element instanceof String name && Headers.isName(name);
                names.add(String.valueOf(element));
            }
            valid &= !array.isEmpty();
        }
        if (!valid) {
            in.error(in.value(table, key), key + " is a list of header names.");
        }
        return names;
    }

    private Optional<Replacement> replacement(TomlTable table, Optional<EventType> on) {
        Optional<String> target = in.string(table, "rewrite_target");
        Optional<String> value = in.string(table, "rewrite_value");
        if (target.isEmpty() && value.isEmpty()) {
            return Optional.empty();
        }
        if (target.isEmpty() || value.isEmpty()) {
            String present = target.isPresent() ? "rewrite_target" : "rewrite_value";
            in.error(in.place(table, present), "rewrite_target and rewrite_value go together.");
            return Optional.empty();
        }
        return switch (Replacement.parse(target.get(), value.get())) {
            case Replacement.Parsed.Refused refused -> {
                in.error(in.value(table, refused.isTarget() ? "rewrite_target" : "rewrite_value"), refused.reason());
                yield Optional.empty();
            }
            case Replacement.Parsed.Ok ok -> {
                EventType needed = ok.replacement().target().on();
                if (on.isPresent() && on.get() != needed) {
                    in.error(
                            in.value(table, "rewrite_target"),
                            ok.replacement().target().path() + " can be rewritten at " + needed.wireName() + " only.");
                }
                yield Optional.of(ok.replacement());
            }
        };
    }
}
