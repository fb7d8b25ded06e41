package dev.capsem.service.sandboxes;

import dev.capsem.sandbox.HostProblem;
import dev.capsem.sandbox.SandboxDriver;
import dev.capsem.service.problem.ServiceProblem;
import java.util.List;

/// Whether this host can run sandboxes.
public final class HostFitness {
    private final SandboxDriver driver;
    private volatile boolean isFit;

    HostFitness(SandboxDriver driver) {
        this.driver = driver;
    }

    /// The host's missing requirements, as the driver sees them now.
    public List<HostProblem> problems() {
        List<HostProblem> problems = driver.hostProblems();
        isFit = problems.isEmpty();
        return problems;
    }

    /// The same, after a sandbox was really started: nobody is told that all is well before.
    public List<HostProblem> trialProblems() {
        List<HostProblem> problems = driver.trialProblems();
        isFit = problems.isEmpty();
        return problems;
    }

    /// Looking costs some processes; a host that was fit once is not asked again.
    void require() {
        if (isFit) {
            return;
        }
        List<HostProblem> problems = problems();
        if (!problems.isEmpty()) {
            HostProblem first = problems.getFirst();
            throw new ServiceProblem(ServiceProblem.Code.HOST_PROBLEM, first.cause(), first.remedy());
        }
    }
}
