package dev.capsem.policy.grammar;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/// What may be done beneath a path, in canonical order.
public enum FsAction {
    READ,
    CREATE,
    WRITE,
    DELETE;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /// Adds what the given actions imply: delete implies write, and every change implies read.
    public static Set<FsAction> closure(Set<FsAction> actions) {
        EnumSet<FsAction> closed = actions.isEmpty() ? EnumSet.noneOf(FsAction.class) : EnumSet.copyOf(actions);
        if (closed.contains(DELETE)) {
            closed.add(WRITE);
        }
        if (!closed.isEmpty()) {
            closed.add(READ);
        }
        return closed;
    }
}
