package dev.capsem.broker;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The way to one value of a JSON document (RFC 6901), never to the document itself.
public record JsonPointer(List<String> steps) {
    private static final int STEPS_MAX = 32;

    public JsonPointer {
        steps = List.copyOf(steps);
        if (steps.isEmpty() || steps.size() > STEPS_MAX) {
            throw new IllegalArgumentException("a pointer has 1 to " + STEPS_MAX + " steps");
        }
    }

    static Optional<JsonPointer> parse(String text) {
        if (!text.startsWith("/")) {
            return Optional.empty();
        }
        List<String> steps = new ArrayList<>();
        for (String step : text.substring(1).split("/", -1)) {
            if (step.isEmpty() || step.matches(".*~(?![01]).*") || steps.size() == STEPS_MAX) {
                return Optional.empty();
            }
            steps.add(step.replace("~1", "/").replace("~0", "~"));
        }
        return Optional.of(new JsonPointer(steps));
    }

    String text() {
        StringBuilder text = new StringBuilder();
        for (String step : steps) {
            text.append('/').append(step.replace("~", "~0").replace("/", "~1"));
        }
        return text.toString();
    }

    @Override
    public String toString() {
        return text();
    }
}
