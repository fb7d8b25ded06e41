package dev.capsem.policy.manifest;

import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.diagnostic.Diagnostic;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// Collects what is wrong, so that one run reports it all. Keeps the first [#KEPT_MAX] and counts the rest.
public final class Diagnostics {
    /// Nobody reads further, and a hostile manifest must not fill memory with messages about itself.
    public static final int KEPT_MAX = 100;

    private final List<Diagnostic> kept = new ArrayList<>();
    private int count;

    public void add(Diagnostic problem) {
        count++;
        if (kept.size() < KEPT_MAX) {
            kept.add(problem);
        }
    }

    void add(CompilationError error, Manifest.Declared where) {
        error.problems()
                .forEach(problem -> add(where.location().map(problem::at).orElse(problem)));
    }

    /// Whether another problem would still be kept; positions and texts need not be made otherwise.
    boolean isFull() {
        return count >= KEPT_MAX;
    }

    void addIfRoom(Supplier<Diagnostic> problem) {
        if (isFull()) {
            count++;
        } else {
            add(problem.get());
        }
    }

    public int count() {
        return count;
    }

    public List<Diagnostic> kept() {
        return List.copyOf(kept);
    }

    public void throwIfAny() {
        if (!kept.isEmpty()) {
            throw new CompilationError(kept);
        }
    }
}
