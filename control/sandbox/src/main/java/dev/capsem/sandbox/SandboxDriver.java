package dev.capsem.sandbox;

import dev.capsem.wire.SandboxSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/// Makes, freezes and destroys sandboxes of one kind. capsem-process launches; the service only prepares, forks
/// and cleans up.
public interface SandboxDriver {
    /// The name in `spec.json` and in `capsem status`, for example `bwrap`.
    String name();

    Abilities abilities();

    /// Requirements that this host does not meet, each with its remedy; empty when sandboxes can start.
    List<HostProblem> hostProblems();

    /// The same, found out by starting a sandbox for a moment: for whoever is about to say that all is well.
    default List<HostProblem> trialProblems() {
        return hostProblems();
    }

    /// Learns ahead what a launch will ask for, so that it is fast when it comes.
    default void prepareLaunch() {}

    /// Makes what all sandboxes of this host share (the base template). Idempotent; safe to call from
    /// several processes.
    void prepareHost();

    /// Starts the sandbox. The port listeners must already be bound in `spec.runtimeDir()/vsock`. Returns when
    /// the agent process exists; the caller waits for its Hello on port 5000.
    RunningSandbox launch(SandboxSpec spec, Path serialLog);

    /// Copies the state of a sandbox that is stopped or frozen (system layers, workspace, project changes) into
    /// an empty session directory. Returns the size in bytes.
    long copyState(Path sourceSession, Path targetSession);

    /// What the layers of a sandbox take on disk now, with files that it deleted and still holds. Walks them: takes as
    /// long as they are large.
    default LayerUse layersOf(Path sessionDir, SandboxHandle handle) {
        return layersOf(sessionDir, handle, _ -> false);
    }

    /// The same, but no further than needed: each step takes as long as the guest makes it take.
    ///
    /// @param isEnough whether what was found so far settles what is asked
    LayerUse layersOf(Path sessionDir, SandboxHandle handle, Predicate<LayerUse> isEnough);

    /// How many bytes the sandbox wrote to the host's disks so far.
    long writtenBy(SandboxHandle handle);

    /// Host memory used by the sandbox now.
    MemoryUse memoryOf(SandboxHandle handle);

    /// Ends the process of the sandbox that took most when it was measured. Answers whether there was one.
    boolean endLargest(SandboxHandle handle, MemoryUse measured);

    /// Ends whatever still runs under this handle and releases what it holds on the host (cgroups, sockets,
    /// mounts). For a service that finds the remains of a crash. Idempotent.
    void cleanUp(SandboxHandle handle);

    /// Ends what a start that was killed left half made, if its log is below this directory. What runs, or is being
    /// started, is left alone. Idempotent.
    void endAbandoned(Path below);

    /// Deletes a session directory, whatever the guest left in it (mode 000, FIFOs, whiteouts).
    void removeSession(Path sessionDir);
}
