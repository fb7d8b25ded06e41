package dev.capsem.sandbox;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// A launched sandbox, held by its capsem-process.
public interface RunningSandbox {
    SandboxHandle handle();

    /// Host pid of the sandbox's first process: all others descend from it, the agent first.
    long pid();

    /// Stops every process in place; returns when nothing runs. Guest code cannot undo it.
    void freeze();

    void thaw();

    /// SIGKILL to everything, and wait until it is gone. Idempotent.
    void destroy();

    /// Completes with the exit code when the sandbox is over, however it ended.
    CompletableFuture<Integer> exit();

    /// Why the sandbox never started, once it is over: empty when it did start.
    Optional<HostProblem> launchProblem();
}
