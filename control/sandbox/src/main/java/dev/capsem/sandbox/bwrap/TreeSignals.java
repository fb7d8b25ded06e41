package dev.capsem.sandbox.bwrap;

import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.bwrap.launch.Tool;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// Signals to a process and all its descendants, sent by capsem-launch: it verifies each process by its start
/// time and walks the tree until nothing in it runs.
record TreeSignals(Path launcher) {
    private static final Duration TIME_MAX = Duration.ofSeconds(10);

    /// @param action stop, cont or kill
    void send(String action, long pid, long startTicks) {
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
