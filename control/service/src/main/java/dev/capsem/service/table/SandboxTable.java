package dev.capsem.service.table;

import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.SandboxId;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/// All sandboxes by id. Whoever changes one holds its slot's lock; readers take the last state as it is.
public final class SandboxTable {
    /// A place in the table; the lock admits one lifecycle transition at a time.
    public static final class Slot {
        private final ReentrantLock transition = new ReentrantLock();

        /// Written under the lock.
        private volatile Sandbox sandbox;

        /// Written under the lock; a slot that left the table is never used again.
        private volatile boolean removed;

        private Slot(Sandbox sandbox) {
            this.sandbox = sandbox;
        }

        public Sandbox sandbox() {
            return sandbox;
        }

        /// Requires: the caller holds the slot.
        public void set(Sandbox next) {
            sandbox = next;
        }
    }

    private final ConcurrentHashMap<SandboxId, Slot> slots = new ConcurrentHashMap<>();

    /// Guards the count of live sandboxes against two callers who both see the last free place.
    private final ReentrantLock admission = new ReentrantLock();

    private final int liveMax;

    public SandboxTable(int liveMax) {
        this.liveMax = liveMax;
    }

    public Collection<Sandbox> all() {
        return slots.values().stream()
                .map(Slot::sandbox)
                .sorted(Comparator.comparing(
                                (Sandbox sandbox) -> sandbox.facts().createdAt())
                        .thenComparing(sandbox -> sandbox.id().value()))
                .toList();
    }

    List<String> names() {
        return slots.keySet().stream().map(SandboxId::value).toList();
    }

    public Optional<Sandbox> find(SandboxId id) {
        return Optional.ofNullable(slots.get(id)).map(Slot::sandbox);
    }

    long live() {
        return slots.values().stream()
                .filter(slot -> slot.sandbox.status().isLive())
                .count();
    }

    /// For what is already there when the service starts: no limit applies to it.
    public void adopt(Sandbox sandbox) {
        slots.put(sandbox.id(), new Slot(sandbox));
    }

    /// Adds a sandbox, if its name is free and the host has room, and runs the work in its slot.
    ///
    /// @param sandbox called with all names that exist, so that it can choose a free one
    public <T> T admit(Function<List<String>, Sandbox> sandbox, Function<Slot, T> work) {
        Slot slot;
        admission.lock();
        try {
            Sandbox candidate = sandbox.apply(names());
            if (candidate.status().isLive()) {
                requireRoom();
            }
            slot = new Slot(candidate);
            slot.transition.lock();
            if (slots.putIfAbsent(candidate.id(), slot) != null) {
                slot.transition.unlock();
                throw new ServiceProblem(
                        ServiceProblem.Code.NAME_TAKEN,
                        "a sandbox named " + candidate.id() + " already exists",
                        "choose another name, or delete that one: `capsem delete " + candidate.id() + "`");
            }
        } finally {
            admission.unlock();
        }
        try {
            return work.apply(slot);
        } finally {
            slot.transition.unlock();
        }
    }

    /// Makes a stopped sandbox count as live. Requires: the caller holds the slot.
    public void admitAgain(Slot slot, Sandbox starting) {
        admission.lock();
        try {
            requireRoom();
            slot.set(starting);
        } finally {
            admission.unlock();
        }
    }

    private void requireRoom() {
        if (live() >= liveMax) {
            throw new ServiceProblem(
                    ServiceProblem.Code.TOO_MANY_SANDBOXES,
                    liveMax + " sandboxes are running, which is the limit of this host",
                    "stop one, or raise sandboxes_max in service.toml");
        }
    }

    /// Runs the work while nobody else changes this sandbox.
    public <T> T change(SandboxId id, Function<Slot, T> work) {
        while (true) {
            Slot slot = slots.get(id);
            if (slot == null) {
                throw notFound(id.value());
            }
            slot.transition.lock();
            try {
                if (!slot.removed) {
                    return work.apply(slot);
                }
            } finally {
                slot.transition.unlock();
            }
        }
    }

    /// Requires: the caller holds the slot.
    public void remove(Slot slot) {
        slot.removed = true;
        slots.remove(slot.sandbox.id(), slot);
    }

    public static ServiceProblem notFound(String id) {
        return new ServiceProblem(
                ServiceProblem.Code.SANDBOX_NOT_FOUND,
                "sandbox not found: " + id,
                "see which there are: `capsem list`");
    }
}
