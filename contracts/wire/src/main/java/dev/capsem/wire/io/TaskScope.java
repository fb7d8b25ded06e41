package dev.capsem.wire.io;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Virtual threads that end with their scope: closing interrupts what still runs and waits for it.
/// `StructuredTaskScope` slots in here once it is final.
public final class TaskScope implements AutoCloseable {
    private final ExecutorService executor;

    /// @param name prefix of the threads' names
    /// @param onFailure told of exceptions that leave a task started with [#start]
    public TaskScope(String name, Thread.UncaughtExceptionHandler onFailure) {
        this.executor = Executors.newThreadPerTaskExecutor(Thread.ofVirtual()
                .name(name + "-", 0)
                .uncaughtExceptionHandler(onFailure)
                .factory());
    }

    /// Requires: the scope is open; otherwise RejectedExecutionException.
    public void start(Runnable task) {
        executor.execute(task);
    }

    public <T> Future<T> fork(Callable<T> task) {
        return executor.submit(task);
    }

    /// True once it takes no more tasks.
    public boolean isClosed() {
        return executor.isShutdown();
    }

    @Override
    public void close() {
        executor.shutdownNow();
        executor.close();
    }
}
