package dev.capsem.sandbox;

/// The abilities of a driver on this host, as data, so that callers and people need not guess.
public record Abilities(
        SuspendMode suspend,
        MemoryLimit memoryLimit,
        boolean cpuLimit,
        boolean copyOnWriteProject,
        KernelCounts kernelCounts) {
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

    /// Whose is what the kernel counts for a user: epoll registrations, descriptors under way, pipes.
    public enum KernelCounts {
        /// Each sandbox has ids of its own.
        OWN,
        /// All sandboxes and the user's other programs together: one can use it up for the rest.
        SHARED_WITH_USER
    }
}
