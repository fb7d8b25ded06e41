package dev.capsem.service.sandboxes;

/// What may be configured (`service.toml`), with its bounds.
///
/// @param sandboxesMax how many may run at once; above it 503
/// @param spareProcesses how many capsem-processes wait for their assignment
/// @param startsAtOnceMax how many JVMs may be starting at the same time
public record ServiceSettings(
        int sandboxesMax, int spareProcesses, int startsAtOnceMax, int memoryMbDefault, int cpusDefault) {
    public static final int SANDBOXES_MIN = 32;
    public static final int SPARE_MAX = 16;
    /// What a sandbox costs the host before its guest does anything: its capsem-process, the agent, page tables.
    private static final long MEMORY_MB_PER_IDLE_SANDBOX = 192;

    public ServiceSettings {
        require(sandboxesMax >= 1 && sandboxesMax <= 10_000, "sandboxes_max must be 1 to 10000");
        require(spareProcesses >= 0 && spareProcesses <= SPARE_MAX, "spare_processes must be 0 to " + SPARE_MAX);
        require(startsAtOnceMax >= 1 && startsAtOnceMax <= 64, "starts_at_once_max must be 1 to 64");
    }

    /// As many as fit into the host's memory while they idle, at least 32.
    public static ServiceSettings forHost(long memoryMb) {
        long fit = memoryMb / MEMORY_MB_PER_IDLE_SANDBOX;
        return new ServiceSettings(Math.clamp(fit, SANDBOXES_MIN, 1_000), 1, 2, 2_048, 2);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
