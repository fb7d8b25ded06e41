package dev.capsem.service.sandboxes;

import dev.capsem.service.problem.ServiceProblem;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/// Waits for a task and passes on what it threw.
public final class TaskResult {
    private TaskResult() {}

    public static <T> T of(Future<T> task) {
        try {
            return task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServiceProblem(ServiceProblem.Code.SHUTTING_DOWN, "the service is shutting down", "try again", e);
        }
    }
}
