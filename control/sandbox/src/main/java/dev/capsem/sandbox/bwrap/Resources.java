package dev.capsem.sandbox.bwrap;

import dev.capsem.sandbox.SandboxHandle;
import dev.capsem.sandbox.bwrap.io.CgroupHost;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Host resources held by a sandbox, as the words of its handle.
final class Resources {
    private static final String RUNTIME = "runtime";
    private static final String CGROUP = "cgroup.";
    private static final String AGENT_PID = "agent.pid";
    private static final String AGENT_TICKS = "agent.startTicks";

    private Resources() {}

    /// A process beyond doubt: pids are reused, start times are not.
    record ProcessId(long pid, long startTicks) {}

    static Map<String, String> of(Path runtimeDir, CgroupHost.Plan cgroups) {
        Map<String, String> words = new HashMap<>();
        words.put(RUNTIME, runtimeDir.toAbsolutePath().toString());
        for (int i = 0; i < cgroups.groups().size(); i++) {
            words.put(CGROUP + i, cgroups.groups().get(i).directory().toString());
        }
        return words;
    }

    static void putAgent(Map<String, String> words, ProcessId agent) {
        words.put(AGENT_PID, Long.toString(agent.pid()));
        words.put(AGENT_TICKS, Long.toString(agent.startTicks()));
    }

    static List<Path> cgroupsOf(Map<String, String> words) {
        return words.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(CGROUP))
                .map(entry -> Path.of(entry.getValue()))
                .toList();
    }

    static Optional<Path> runtimeOf(SandboxHandle handle) {
        return Optional.ofNullable(handle.resources().get(RUNTIME)).map(Path::of);
    }

    static Optional<ProcessId> agentOf(SandboxHandle handle) {
        String pid = handle.resources().get(AGENT_PID);
        String ticks = handle.resources().get(AGENT_TICKS);
        return pid == null || ticks == null
                ? Optional.empty()
                : Optional.of(new ProcessId(Long.parseLong(pid), Long.parseLong(ticks)));
    }
}
