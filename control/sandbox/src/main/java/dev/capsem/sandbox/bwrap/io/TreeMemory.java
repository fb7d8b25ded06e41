package dev.capsem.sandbox.bwrap.io;

import dev.capsem.sandbox.MemoryUse;
import dev.capsem.sandbox.room.FilesystemRoom;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

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

    private long inMemoryFilesystems(long agent) {
        return processes
                .line(agent + "/mounts")
                .map(mounts -> mounts.lines()
                        .map(line -> line.split(" "))
                        .filter(fields -> fields.length > 2 && fields[2].equals("tmpfs"))
                        .map(fields -> fields[1])
                        .filter(point -> point.indexOf('\\') < 0)
                        .limit(MOUNTS_MAX)
                        .mapToLong(point -> used(agent, point))
                        .sum())
                .orElse(0L);
    }

    private long used(long agent, String point) {
        try {
            return FilesystemRoom.of(proc.resolve(agent + "/root" + point)).bytesUsed();
        } catch (IOException e) {
            return 0;
        }
    }
}
