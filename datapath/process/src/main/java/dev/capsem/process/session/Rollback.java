package dev.capsem.process.session;

import java.util.ArrayDeque;
import java.util.Deque;

/// The undo steps, newest first, run unless everything succeeded.
final class Rollback implements AutoCloseable {
    private final Deque<Runnable> steps = new ArrayDeque<>();

    void add(Runnable step) {
        steps.push(step);
    }

    void forget() {
        steps.clear();
    }

    /// A step that fails does not keep the others from being tried.
    @Override
    public void close() {
        RuntimeException failure = null;
        for (Runnable step : steps) {
            try {
                step.run();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
