package dev.capsem.policy.diagnostic;

import dev.capsem.source.json.JsonValue;
import java.util.Optional;

/// One fault of a manifest. `context` holds the machine-readable details named in the grammar reference.
public record Diagnostic(Code code, String text, Optional<Location> location, JsonValue.Members context) {
    public static Diagnostic of(Code code, String text) {
        return new Diagnostic(code, text, Optional.empty(), JsonValue.members().build());
    }

    public Diagnostic at(Location place) {
        return new Diagnostic(code, text, Optional.of(place), context);
    }

    public Diagnostic with(JsonValue.Members details) {
        return new Diagnostic(code, text, location, details);
    }
}
