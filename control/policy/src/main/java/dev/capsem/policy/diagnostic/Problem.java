package dev.capsem.policy.diagnostic;

import dev.capsem.source.json.JsonValue;
import java.util.Optional;

/// One fault of a manifest. `context` holds the machine-readable details named in the grammar reference.
public record Problem(Code code, String text, Optional<Location> location, JsonValue.Members context) {
    public static Problem of(Code code, String text) {
        return new Problem(code, text, Optional.empty(), JsonValue.members().build());
    }

    public Problem at(Location place) {
        return new Problem(code, text, Optional.of(place), context);
    }

    public Problem with(JsonValue.Members details) {
        return new Problem(code, text, location, details);
    }
}
