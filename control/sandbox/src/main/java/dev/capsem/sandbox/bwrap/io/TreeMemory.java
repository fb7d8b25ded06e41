package dev.capsem.sandbox.bwrap.io;

import dev.capsem.sandbox.MemoryUse;
import dev.capsem.sandbox.room.FilesystemRoom;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The memory of a sandbox's processes, where no cgroup counts it.
///
/// What a process shares is divided among its sharers by the kernel (`Pss`). Memory files and files of a memory
/// filesystem take memory whether anybody has them mapped or not; which of them are mapped is not told, so that of the
/// two sums the larger one counts: never too much, and at worst half of what is shared.
public final class TreeMemory {
    private static final long KILOBYTE = 1_024;
    /// What a sandbox has of its own, and some more.
    private static final int MOUNTS_MAX = 64;

    private final ProcessTable processes;
    private final TreeFiles files;
    private final Path proc;

    public TreeMemory(ProcessTable processes, TreeFiles files, Path proc) {
        this.processes = processes;
        this.files = files;
        this.proc = proc;
    }

    /// @param pids the agent first
    public MemoryUse of(List<Long> pids) {
        if (pids.isEmpty()) {
            return new MemoryUse(0, OptionalLong.empty());
        }
        long own = 0;
        long shared = 0;
        long most = -1;
        OptionalLong largest = OptionalLong.empty();
        for (long pid : pids) {
            Parts parts = parts(pid);
            own += parts.own;
            shared += parts.shared;
            long all = parts.own + Math.max(parts.shared, files.memoryFiles(List.of(pid)));
            if (pid != pids.getFirst() && all > most) {
                most = all;
                largest = OptionalLong.of(pid);
            }
        }
        long held = files.memoryFiles(pids) + inMemoryFilesystems(pids.getFirst());
        return new MemoryUse(own + Math.max(shared, held), largest);
    }

    private record Parts(long own, long shared) {}

    private Parts parts(long pid) {
        String text = processes.line(pid + "/smaps_rollup").orElse("");
        return new Parts(
                (TreeFiles.number(text, "Pss_Anon:") + TreeFiles.number(text, "SwapPss:")) * KILOBYTE,
                TreeFiles.number(text, "Pss_Shmem:") * KILOBYTE);
    }

    /// Of the sandbox's own memory filesystems; those of the host that were bound into it are not its doing.
    private long inMemoryFilesystems(long agent) {
        Set<String> ofHost = mounts("self/mountinfo").map(Mount::device).collect(Collectors.toSet());
        Set<String> counted = new HashSet<>();
        return mounts(agent + "/mountinfo")
                .filter(mount -> !ofHost.contains(mount.device) && counted.add(mount.device))
                .limit(MOUNTS_MAX)
                .mapToLong(mount -> used(agent, mount.point))
                .sum();
    }

    /// @param device tells one filesystem from another, wherever it is mounted
    private record Mount(String device, String point) {}

    private Stream<Mount> mounts(String file) {
        return processes
                .line(file)
                .orElse("")
                .lines()
                .filter(line -> line.contains(" - tmpfs "))
                .map(line -> {
                    String[] fields = line.split(" ");
                    return new Mount(fields[2], fields[4]);
                });
    }

    private long used(long agent, String point) {
        try {
            return FilesystemRoom.of(proc.resolve(agent + "/root" + point)).bytesUsed();
        } catch (IOException e) {
            return 0;
        }
    }
}
