package dev.capsem.sandbox;

import java.util.concurrent.CompletableFuture;

/// A launched sandbox, held by its capsem-process.
public interface RunningSandbox {
    SandboxHandle handle();

    /// Host pid of the sandbox's first process.
    long pid();

    /// Stops every process in place; returns when nothing runs. Guest code cannot undo it.
    void freeze();

    void thaw();

    /// SIGKILL to everything, and wait until it is gone. Idempotent.
    void destroy();

    /// Completes with the exit code when the sandbox is over, however it ended.
    CompletableFuture<Integer> exit();
}
