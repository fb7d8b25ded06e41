package dev.capsem.service.sandboxes;

import dev.capsem.sandbox.SandboxException;
import dev.capsem.service.problem.ServiceProblem;

/// A failed operation on a sandbox, as a problem of the service.
final class OperationFailure {
    private OperationFailure() {}

    static ServiceProblem problem(String operation, RuntimeException e) {
        return switch (e) {
            case ServiceProblem problem -> problem;
            case SandboxException failed ->
                new ServiceProblem(
                        ServiceProblem.Code.OPERATION_FAILED,
                        operation + " failed: " + failed.getMessage(),
                        failed.remedy(),
                        failed);
            default ->
                new ServiceProblem(
                        isFull(e) ? ServiceProblem.Code.DISK_FULL : ServiceProblem.Code.OPERATION_FAILED,
                        operation + " failed: " + e.getMessage(),
                        "is the disk full? See `capsem triage`",
                        e);
        };
    }

    /// The platform tells it in words only.
    private static boolean isFull(RuntimeException e) {
        return String.valueOf(e.getMessage()).contains("No space left on device");
    }
}
