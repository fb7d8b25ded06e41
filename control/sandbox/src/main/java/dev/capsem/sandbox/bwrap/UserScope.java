package dev.capsem.sandbox.bwrap;

import dev.capsem.sandbox.bwrap.io.CgroupHost;
import dev.capsem.sandbox.bwrap.io.HostFiles;
import dev.capsem.sandbox.bwrap.launch.Tool;
import dev.capsem.wire.SandboxSpec;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A user's own service manager, which gives limits to whom the host grants no cgroup: `systemd-run --user --scope`
/// puts a program into a group of its own and then becomes that program.
///
/// @param runtimeDirectory where the manager listens (`XDG_RUNTIME_DIR`)
record UserScope(Path systemdRun, Path runtimeDirectory) {
    private static final Duration TRIAL_TIME_MAX = Duration.ofSeconds(10);
    private static final long TRIAL_BYTES = 67_108_864;
    /// Says what limit the kernel put upon it: a manager without the memory controller takes the option and
    /// does nothing.
    private static final String TRIAL = "cat \"/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)/memory.max\"";

    /// Found out by trying.
    static Optional<UserScope> detect(Path runtimeDirectory) {
        return HostFiles.findProgram(Path.of("systemd-run"))
                .filter(_ -> HostFiles.exists(runtimeDirectory))
                .map(program -> new UserScope(program, runtimeDirectory))
                .filter(UserScope::isInForce);
    }

    private boolean isInForce() {
        List<String> command = prefix(List.of("MemoryMax=" + TRIAL_BYTES));
        command.addAll(List.of("sh", "-c", TRIAL));
        try {
            Tool.Result result = Tool.run(command, Path.of("/"), TRIAL_TIME_MAX);
            return result.succeeded() && result.output().equals(Long.toString(TRIAL_BYTES));
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    /// The same command within the limits.
    List<String> around(List<String> command, SandboxSpec.Limits limits) {
        List<String> whole = prefix(List.of(
                "MemoryMax=" + limits.memoryMb() * 1024L * 1024L,
                "MemorySwapMax=0",
                "TasksMax=" + (limits.pidsMax() + CgroupHost.OWN_PIDS)));
        // What the manager's program needs to know is none of the sandbox's business.
        whole.addAll(List.of("/usr/bin/env", "-u", "XDG_RUNTIME_DIR"));
        whole.addAll(command);
        return whole;
    }

    private List<String> prefix(List<String> properties) {
        List<String> words = new ArrayList<>(List.of(
                "/usr/bin/env",
                "XDG_RUNTIME_DIR=" + runtimeDirectory,
                systemdRun.toString(),
                "--user",
                "--scope",
                "--quiet",
                "--collect",
                "--no-ask-password"));
        properties.forEach(property -> words.addAll(List.of("-p", property)));
        words.add("--");
        return words;
    }
}
