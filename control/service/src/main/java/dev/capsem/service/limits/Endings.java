package dev.capsem.service.limits;

import dev.capsem.wire.SandboxId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// Why sandboxes were stopped that nobody asked to stop, for whoever asks after them. The newest only, as long as
/// this service runs; persistent ones keep their reason themselves.
public final class Endings {
    private static final int KEPT_MAX = 256;

    /// Guards `reasons`.
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<SandboxId, String> reasons = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<SandboxId, String> eldest) {
            return size() > KEPT_MAX;
        }
    };

    public void put(SandboxId id, String reason) {
        lock.lock();
        try {
            reasons.remove(id);
            reasons.put(id, reason);
        } finally {
            lock.unlock();
        }
    }

    /// It lives again, or another one of its name.
    public void forget(SandboxId id) {
        lock.lock();
        try {
            reasons.remove(id);
        } finally {
            lock.unlock();
        }
    }

    public Optional<String> of(SandboxId id) {
        lock.lock();
        try {
            return Optional.ofNullable(reasons.get(id));
        } finally {
            lock.unlock();
        }
    }
}
