package dev.capsem.wire;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Everything capsem-process needs to start one sandbox: what the service decided, once, at provision or resume.
///
/// @param sessionDir the session's directory on the host (databases, logs, upper layers, workspace)
/// @param runtimeDir a short directory for sockets, mode 0700 (`vsock/<port>` below it)
/// @param environment the base environment of every command, already checked against the refusal list
/// @param view what of the host is seen inside beside the project
public record SandboxSpec(
        SandboxId id,
        Path sessionDir,
        Path runtimeDir,
        Limits limits,
        Map<String, String> environment,
        Optional<Project> project,
        View view,
        String profileId,
        String userId) {

    public SandboxSpec {
        environment = Map.copyOf(environment);
    }

    /// Nothing of the host beside the project.
    public SandboxSpec(
            SandboxId id,
            Path sessionDir,
            Path runtimeDir,
            Limits limits,
            Map<String, String> environment,
            Optional<Project> project,
            String profileId,
            String userId) {
        this(id, sessionDir, runtimeDir, limits, environment, project, View.NONE, profileId, userId);
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

    /// Paths of the host that are shown, and those of the project that are not.
    ///
    /// @param hidden files and directories, relative to the project, that are shown empty
    public record View(List<Mount> mounts, List<String> hidden) {
        public static final View NONE = new View(List.of(), List.of());

        public View {
            mounts = List.copyOf(mounts);
            hidden = List.copyOf(hidden);
        }
    }

    /// A file or directory of the host, shown read-only.
    ///
    /// @param source without links
    /// @param target an absolute path in the sandbox
    public record Mount(Path source, Path target) {}

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
