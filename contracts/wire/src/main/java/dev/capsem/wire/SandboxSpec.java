package dev.capsem.wire;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// Everything capsem-process needs to start one sandbox: what the service decided, once, at provision or resume.
///
/// @param sessionDir the session's directory on the host (databases, logs, upper layers, workspace)
/// @param runtimeDir a short directory for sockets, mode 0700 (`vsock/<port>` below it)
/// @param environment the base environment of every command, already checked against the refusal list
public record SandboxSpec(
        SandboxId id,
        Path sessionDir,
        Path runtimeDir,
        Limits limits,
        Map<String, String> environment,
        Optional<Project> project,
        String profileId,
        String userId) {

    public SandboxSpec {
        environment = Map.copyOf(environment);
    }

    /// @param memoryMb total memory; by cgroup where the host grants one, else watched
    public record Limits(int memoryMb, int cpus, int pidsMax) {
        public static final int MEMORY_MB_MIN = 256;
        public static final int MEMORY_MB_MAX = 16_384;
        public static final int CPUS_MIN = 1;
        public static final int CPUS_MAX = 8;
        /// Enough for a parallel build of a large project; a fork bomb stops here.
        public static final int PIDS_MAX_DEFAULT = 1_024;

        public Limits {
            if (memoryMb < MEMORY_MB_MIN || memoryMb > MEMORY_MB_MAX) {
                throw new IllegalArgumentException(
                        "ram_mb must be " + MEMORY_MB_MIN + " to " + MEMORY_MB_MAX + ", not " + memoryMb);
            }
            if (cpus < CPUS_MIN || cpus > CPUS_MAX) {
                throw new IllegalArgumentException("cpus must be " + CPUS_MIN + " to " + CPUS_MAX + ", not " + cpus);
            }
            if (pidsMax < 16) {
                throw new IllegalArgumentException("pids must be at least 16, not " + pidsMax);
            }
        }
    }

    /// A directory of the user's that appears in the sandbox as `/root/<name>`.
    public record Project(Path source, String name, Access access) {
        public enum Access {
            /// An overlay: the guest sees and changes a copy; nothing outside changes.
            COPY_ON_WRITE,
            /// A bind mount: the guest's writes are the user's.
            READ_WRITE
        }
    }
}
