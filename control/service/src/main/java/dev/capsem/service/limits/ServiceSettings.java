package dev.capsem.service.limits;

import dev.capsem.profiles.file.Setting;

/// The settings of `service.toml`, with their bounds.
///
/// @param sandboxesMax how many may run at once; above it 503
/// @param spareProcesses how many capsem-processes wait for their assignment
/// @param startsAtOnceMax how many JVMs may be starting at the same time
/// @param diskMbDefault what the files of a sandbox may take where its profile does not say
/// @param diskFreeMb what no sandbox may take on the disk of all
public record ServiceSettings(
        int sandboxesMax,
        int spareProcesses,
        int startsAtOnceMax,
        int memoryMbDefault,
        int cpusDefault,
        int diskMbDefault,
        int diskFreeMb) {
    public static final int SANDBOXES_MIN = 32;
    public static final int SPARE_MAX = 16;
    /// Room for a large project with all it depends on.
    public static final int DISK_MB = 16_384;
    /// Enough to write down what sandboxes did until somebody makes room.
    public static final int DISK_FREE_MB = 512;
    /// What a sandbox costs the host before its guest does anything: its capsem-process, the agent, page tables.
    private static final long MEMORY_MB_PER_IDLE_SANDBOX = 192;

    public ServiceSettings {
        require(sandboxesMax >= 1 && sandboxesMax <= 10_000, "sandboxes_max must be 1 to 10000");
        require(spareProcesses >= 0 && spareProcesses <= SPARE_MAX, "spare_processes must be 0 to " + SPARE_MAX);
        require(startsAtOnceMax >= 1 && startsAtOnceMax <= 64, "starts_at_once_max must be 1 to 64");
        require(
                diskMbDefault >= Setting.DISK_MB_MIN && diskMbDefault <= Setting.DISK_MB_MAX,
                "disk_mb must be " + Setting.DISK_MB_MIN + " to " + Setting.DISK_MB_MAX);
        require(
                diskFreeMb >= 0 && diskFreeMb <= Setting.DISK_MB_MAX,
                "disk_free_mb must be 0 to " + Setting.DISK_MB_MAX);
    }

    /// As many as fit into the host's memory while they idle, at least 32.
    public static ServiceSettings forHost(long memoryMb) {
        long fit = memoryMb / MEMORY_MB_PER_IDLE_SANDBOX;
        return new ServiceSettings(Math.clamp(fit, SANDBOXES_MIN, 1_000), 1, 2, 2_048, 2, DISK_MB, DISK_FREE_MB);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
