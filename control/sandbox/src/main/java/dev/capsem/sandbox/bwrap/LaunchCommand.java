package dev.capsem.sandbox.bwrap;

import dev.capsem.sandbox.bwrap.io.CgroupHost;
import dev.capsem.wire.SandboxSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// The arguments of `capsem-launch sandbox`, computed.
final class LaunchCommand {
    /// Enough for any build tool; the launcher lowers it to what the host allows.
    private static final int OPEN_FILES_MAX = 65_536;

    private LaunchCommand() {}

    /// @param parent the pid whose death ends the sandbox
    /// @param gitObjects what the project borrows from a repository elsewhere
    /// @param idRange which ids of the host the guest has, if not its user's
    /// @param memoryByRlimit whether no cgroup limits the memory
    static List<String> of(
            BwrapFiles files,
            Path bwrap,
            Path template,
            SandboxSpec spec,
            Optional<Path> gitObjects,
            OptionalInt idRange,
            CgroupHost.Plan cgroups,
            boolean memoryByRlimit,
            long parent) {
        SandboxSpec.Limits limits = spec.limits();
        long memoryBytes = limits.memoryMb() * 1024L * 1024L;
        List<String> command = new ArrayList<>(List.of(files.launcher().toString(), "sandbox"));
        option(command, "--parent", parent);
        option(command, "--session", spec.sessionDir());
        option(command, "--runtime", spec.runtimeDir());
        option(command, "--template", template);
        option(command, "--agent", files.agent());
        option(command, "--bwrap", bwrap);
        option(command, "--hostname", spec.id());
        // /tmp and /dev/shm are memory: each may take half of the sandbox's.
        option(command, "--tmp-size", memoryBytes / 2);
        idRange.ifPresent(number -> option(command, "--id-range", number));
        spec.project().ifPresent(project -> project(command, project));
        gitObjects.ifPresent(objects -> option(command, "--git-objects", objects));
        spec.view().mounts().forEach(mount -> {
            option(command, "--mount", mount.source());
            option(command, "--mount-at", mount.target());
        });
        spec.view().hidden().forEach(path -> option(command, "--hide", path));
        cgroups.joinFiles().forEach(file -> option(command, "--cgroup", file));
        if (memoryByRlimit) {
            option(command, "--rlimit-data", memoryBytes);
        }
        option(command, "--rlimit-nproc", limits.pidsMax());
        option(command, "--rlimit-nofile", OPEN_FILES_MAX);
        return command;
    }

    private static void project(List<String> command, SandboxSpec.Project project) {
        option(command, "--project-lower", project.source());
        option(command, "--project-name", project.name());
        switch (project.access()) {
            case COPY_ON_WRITE -> {}
            case READ_WRITE -> command.add("--project-rw");
        }
    }

    private static void option(List<String> command, String name, Object value) {
        command.add(name);
        command.add(value.toString());
    }
}
