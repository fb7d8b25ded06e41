package dev.capsem.sandbox.bwrap;

import dev.capsem.sandbox.HostProblem;
import dev.capsem.sandbox.RunningSandbox;
import dev.capsem.sandbox.SandboxException;
import dev.capsem.sandbox.SandboxHandle;
import dev.capsem.sandbox.bwrap.io.CgroupFiles;
import dev.capsem.sandbox.bwrap.io.CgroupHost;
import dev.capsem.sandbox.bwrap.io.ProcessTable;
import dev.capsem.sandbox.bwrap.io.SessionLog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/// A sandbox of ours while its process lives.
final class BwrapSandbox implements RunningSandbox {
    private static final Duration DESTROY_TIME_MAX = Duration.ofSeconds(10);
    private static final Duration AGENT_POLL = Duration.ofMillis(5);
    /// How often a tree that was stopped by signals is looked at. All its processes are stopped, so none can
    /// continue another; but the kernel would still deliver a continue signal that one of them had armed a timer
    /// for. It then runs no longer than this.
    private static final Duration STILLNESS_POLL = Duration.ofMillis(100);
    /// capsem-launch's own exit codes; bwrap's is 1.
    private static final int LAUNCHER_EXIT_MIN = 70;

    private static final int LAUNCHER_EXIT_MAX = 79;
    private static final int BWRAP_EXIT = 1;
    private static final String LAUNCHER_NAME = "capsem-launch";

    private final Process process;
    private final long startTicks;
    private final Map<String, String> resources;
    private final CgroupHost.Plan cgroups;
    private final TreeSignals signals;
    private final ProcessTable processes;
    private final SessionLog log;
    private final CompletableFuture<Integer> exit;

    /// The agent, once bwrap has started it.
    private volatile Optional<Resources.ProcessId> agent = Optional.empty();

    /// Guards `frozen`, and that freezing and thawing do not overlap.
    private final ReentrantLock freezing = new ReentrantLock();

    private boolean frozen;

    BwrapSandbox(
            Process process,
            long startTicks,
            Path runtimeDir,
            CgroupHost.Plan cgroups,
            TreeSignals signals,
            ProcessTable processes,
            SessionLog log) {
        this.process = process;
        this.startTicks = startTicks;
        this.cgroups = cgroups;
        this.signals = signals;
        this.processes = processes;
        this.log = log;
        this.resources = Resources.of(runtimeDir, cgroups);
        Thread.ofVirtual().name("agent-finder").start(this::findAgent);
        this.exit = process.onExit()
                .thenApplyAsync(
                        this::conclude,
                        task -> Thread.ofVirtual().name("sandbox-exit").start(task));
    }

    @Override
    public SandboxHandle handle() {
        Map<String, String> all = new HashMap<>(resources);
        agent.ifPresent(found -> Resources.putAgent(all, found));
        return new SandboxHandle(BwrapDriver.NAME, process.pid(), startTicks, all);
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public void freeze() {
        freezing.lock();
        try {
            if (frozen) {
                return;
            }
            if (cgroups.freezer().isPresent()) {
                CgroupFiles.freeze(cgroups.freezer().get());
            } else {
                signals.send("stop", process.pid(), startTicks);
                Thread.ofVirtual().name("stillness").start(this::keepStill);
            }
            frozen = true;
        } finally {
            freezing.unlock();
        }
    }

    @Override
    public void thaw() {
        freezing.lock();
        try {
            if (!frozen) {
                return;
            }
            frozen = false;
            if (cgroups.freezer().isPresent()) {
                CgroupFiles.thaw(cgroups.freezer().get());
            } else {
                signals.send("cont", process.pid(), startTicks);
            }
        } finally {
            freezing.unlock();
        }
    }

    @Override
    public void destroy() {
        if (process.isAlive()) {
            signals.send("kill", process.pid(), startTicks);
            // A process frozen by a version 1 freezer dies when it is thawed.
            cgroups.freezer().ifPresent(this::thawIfThere);
        }
        try {
            exit.get(DESTROY_TIME_MAX.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw stillThere("interrupted");
        } catch (ExecutionException | TimeoutException e) {
            throw stillThere(e.toString());
        }
    }

    @Override
    public CompletableFuture<Integer> exit() {
        return exit.copy();
    }

    @Override
    public Optional<HostProblem> launchProblem() {
        if (!exit.isDone() || exit.isCompletedExceptionally()) {
            return Optional.empty();
        }
        int code = exit.join();
        boolean launcherGaveUp = (code >= LAUNCHER_EXIT_MIN && code <= LAUNCHER_EXIT_MAX) || code == BWRAP_EXIT;
        return launcherGaveUp ? LauncherComplaint.in(log.tail()) : Optional.empty();
    }

    private void findAgent() {
        try {
            while (process.isAlive() && agent.isEmpty()) {
                agent = childOfBwrap();
                Thread.sleep(AGENT_POLL);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// The launcher has short-lived children of its own before it becomes bwrap, whose only child is the agent.
    private Optional<Resources.ProcessId> childOfBwrap() {
        if (processes
                .line(process.pid() + "/comm")
                .filter(LAUNCHER_NAME::equals)
                .isPresent()) {
            return Optional.empty();
        }
        OptionalLong pid = processes.firstChild(process.pid());
        OptionalLong ticks = pid.isPresent() ? processes.startTicks(pid.getAsLong()) : pid;
        return ticks.isPresent()
                ? Optional.of(new Resources.ProcessId(pid.getAsLong(), ticks.getAsLong()))
                : Optional.empty();
    }

    private void keepStill() {
        try {
            while (process.isAlive()) {
                Thread.sleep(STILLNESS_POLL);
                freezing.lock();
                try {
                    if (!frozen) {
                        return;
                    }
                    if (process.descendants().anyMatch(each -> !processes.isStill(each.pid()))) {
                        signals.send("stop", process.pid(), startTicks);
                    }
                } finally {
                    freezing.unlock();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// bwrap is gone; the agent dies with it, and with the agent everything in its pid namespace.
    private int conclude(Process ended) {
        CgroupFiles.remove(Resources.cgroupsOf(resources));
        long deadline = System.nanoTime() + DESTROY_TIME_MAX.toNanos();
        while (agent.filter(found -> processes.isAlive(found.pid(), found.startTicks()))
                        .isPresent()
                && System.nanoTime() < deadline) {
            pause();
        }
        return ended.exitValue();
    }

    private static void pause() {
        try {
            Thread.sleep(AGENT_POLL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void thawIfThere(CgroupHost.Freezer freezer) {
        try {
            CgroupFiles.thaw(freezer);
        } catch (SandboxException e) {
            // The group went with its last process.
            return;
        }
    }

    private static SandboxException stillThere(String cause) {
        return new SandboxException(
                SandboxException.Code.DESTROY_FAILED,
                "the sandbox did not end: " + cause,
                "look for processes in state D; they end when their disk answers");
    }
}
