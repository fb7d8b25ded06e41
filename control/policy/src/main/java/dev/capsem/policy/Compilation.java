package dev.capsem.policy;

import dev.capsem.policy.ir.Policy;
import dev.capsem.policy.manifest.Bindings;
import dev.capsem.policy.manifest.Grant;
import dev.capsem.policy.manifest.Manifest;
import java.util.List;

/// A compiled manifest together with what it was compiled from, for review: who asked for what, and where.
public record Compilation(Manifest manifest, Bindings bindings, List<Grant> grants, Policy policy) {
    public Compilation {
        grants = List.copyOf(grants);
    }
}
