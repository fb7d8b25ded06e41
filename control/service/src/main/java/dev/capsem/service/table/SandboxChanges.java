package dev.capsem.service.table;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Tells whoever listens what became of sandboxes: created, resumed, suspended, persisted, forked, stopped,
/// crashed, deleted.
public final class SandboxChanges {
    public interface Listener {
        /// Must return at once.
        public void happened(Sandbox sandbox, String what);
    }

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    public void add(Listener listener) {
        listeners.add(listener);
    }

    public void remove(Listener listener) {
        listeners.remove(listener);
    }

    public void happened(Sandbox sandbox, String what) {
        listeners.forEach(listener -> listener.happened(sandbox, what));
    }
}
