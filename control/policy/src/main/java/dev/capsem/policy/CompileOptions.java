package dev.capsem.policy;

import dev.capsem.policy.ir.MergeMode;
import dev.capsem.policy.manifest.Bindings;
import java.util.Optional;

/// @param validator recognises assertions; without one they are metadata, with one an unknown assertion is an error
public record CompileOptions(Bindings bindings, MergeMode merge, Optional<AssertionValidator> validator) {
    public static final CompileOptions DEFAULT = new CompileOptions(Bindings.NONE, MergeMode.NESTED, Optional.empty());

    public CompileOptions with(Bindings values) {
        return new CompileOptions(values, merge, validator);
    }

    public CompileOptions with(MergeMode mode) {
        return new CompileOptions(bindings, mode, validator);
    }

    public CompileOptions with(AssertionValidator recogniser) {
        return new CompileOptions(bindings, merge, Optional.of(recogniser));
    }
}
