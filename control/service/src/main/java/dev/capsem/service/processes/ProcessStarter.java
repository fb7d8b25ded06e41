package dev.capsem.service.processes;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// Starts capsem-processes and finds those that an earlier service started.
public interface ProcessStarter {
    /// Starts one that will listen on `socket` and wait for its assignment.
    Child start(Path socket, Path log);

    /// The process with this pid, if it is still the one that started then: pids are reused.
    Optional<Child> find(long pid, Instant startedAt);

    /// The process with this pid, whatever it is. Requires: the pid was just told by the process itself.
    Optional<Child> find(long pid);

    /// A capsem-process as the operating system sees it.
    interface Child {
        long pid();

        Instant startedAt();

        boolean isAlive();

        /// SIGKILL.
        void kill();

        CompletableFuture<Void> exited();
    }
}
