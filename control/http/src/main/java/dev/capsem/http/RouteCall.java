package dev.capsem.http;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/// A request that found its route: path variables and JSON body are ready.
///
/// @param json the body of a JSON route; an empty object where it is optional and absent
public record RouteCall(Request request, Map<String, String> variables, JsonNode json) {
    /// Requires: the route's pattern has this variable.
    public String variable(String name) {
        return Optional.ofNullable(variables.get(name))
                .orElseThrow(() -> new IllegalStateException("the route has no {" + name + "}"));
    }

    /// The first value of this name.
    public Optional<String> query(String name) {
        return queries(name).stream().findFirst();
    }

    public List<String> queries(String name) {
        return request.query().getOrDefault(name, List.of());
    }

    public int query(String name, int absent, int min, int max) {
        Optional<String> text = query(name);
        if (text.isEmpty()) {
            return absent;
        }
        try {
            int value = Integer.parseInt(text.get());
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Answered below, like a number out of range.
        }
        throw new HttpProblem(
                HttpProblem.Code.BAD_QUERY,
                name + " must be a whole number from " + min + " to " + max,
                "change or drop the query parameter " + name);
    }
}
