package dev.capsem.sandbox.bwrap;

import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.bwrap.io.ProcessTable;
import dev.capsem.sandbox.bwrap.launch.Tool;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/// Signals to a process and all its descendants, sent by capsem-launch: it verifies each process by its start
/// time and walks the tree until nothing in it runs.
record TreeSignals(Path launcher, ProcessTable processes) {
    private static final Duration TIME_MAX = Duration.ofSeconds(10);

    /// Of a process that is over nothing is left to signal: the launcher would find the same, some milliseconds later.
    ///
    /// @param action stop, cont or kill
    void send(String action, long pid, long startTicks) {
        if (!processes.startTicks(pid).equals(OptionalLong.of(startTicks))) {
            return;
        }
        Tool.Result result = Tool.run(
                List.of(
                        launcher.toString(),
                        "signal-tree",
                        "--pid",
                        Long.toString(pid),
                        "--start-ticks",
                        Long.toString(startTicks),
                        action),
                Path.of("/"),
                TIME_MAX);
        if (!result.succeeded()) {
            throw new SandboxException(
                    SandboxException.Code.FREEZE_FAILED,
                    "cannot " + action + " the sandbox: " + result.output(),
                    "stop the sandbox instead");
        }
    }
}
