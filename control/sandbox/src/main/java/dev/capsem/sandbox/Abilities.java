package dev.capsem.sandbox;

/// What a driver can do on this host, as data, so that callers and people need not guess.
public record Abilities(SuspendMode suspend, MemoryLimit memoryLimit, boolean cpuLimit, boolean copyOnWriteProject) {
    public enum SuspendMode {
        NONE,
        /// Processes stop in place; memory stays resident; does not survive a reboot.
        FREEZE,
        /// Memory is saved to disk.
        CHECKPOINT
    }

    public enum MemoryLimit {
        /// One limit for the whole sandbox.
        CGROUP,
        /// The same, by a scope of the user's own service manager.
        SCOPE,
        /// The kernel limits private memory per process only (RLIMIT_DATA): the host grants this user no cgroup. The
        /// service watches the whole.
        WATCHED
    }
}
