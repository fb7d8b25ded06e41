package dev.capsem.service.launch;

import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.processes.ProcessStarter;
import dev.capsem.wire.HomeLayout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// Starts each capsem-process in a session of its own, so that neither a closed terminal nor the end of this
/// service takes it along.
public final class ProcessLauncher implements ProcessStarter, AutoCloseable {
    private static final Path SETSID = Path.of("/usr/bin/setsid");
    /// What a child inherits of our environment; a sandbox's own environment is never part of it.
    private static final Set<String> INHERITED = Set.of(
            "HOME",
            "PATH",
            // Where a user's service manager is found, which limits sandboxes.
            "XDG_RUNTIME_DIR",
            "USER",
            "TMPDIR",
            "LANG",
            "LC_ALL",
            "JAVA_HOME",
            "CAPSEM_HOME",
            "CAPSEM_JAVA_HOME",
            "CAPSEM_AOT_TRAIN",
            "CAPSEM_APPROVAL_TIMEOUT_SECS",
            "CAPSEM_MCP_DEFAULT_TIMEOUT_SECS",
            "CAPSEM_MCP_INFLIGHT",
            "CAPSEM_MCP_TOOL_CALL_TIMEOUT_SECS");

    private final Path program;
    private final HomeLayout layout;
    private final Map<String, String> environment;
    /// One permanent platform thread: what the kernel ties to a parent's thread must not end with a virtual
    /// thread's carrier.
    private final ExecutorService spawning = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("spawn").daemon().factory());

    public ProcessLauncher(Path program, HomeLayout layout, Map<String, String> environment) {
        this.program = program;
        this.layout = layout;
        this.environment = Map.copyOf(environment);
    }

    @Override
    public Child start(Path socket, Path log) {
        try {
            Process process = spawning.submit(() -> spawn(socket, log)).get();
            return new OwnChild(process.toHandle());
        } catch (ExecutionException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.START_FAILED,
                    "capsem-process could not be started: " + e.getMessage(),
                    "is " + program + " there and executable? Build again: `./capsem build`",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServiceProblem(ServiceProblem.Code.SHUTTING_DOWN, "the service is shutting down", "try again", e);
        }
    }

    private Process spawn(Path socket, Path log) throws IOException {
        List<String> command = new ArrayList<>();
        if (Files.isExecutable(SETSID)) {
            command.add(SETSID.toString());
        }
        command.addAll(List.of(
                program.toString(),
                "--instance-socket",
                socket.toString(),
                "--home",
                layout.home().toString()));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().retainAll(INHERITED);
        builder.environment().putAll(environment);
        builder.directory(layout.runDir().toFile());
        builder.redirectInput(Path.of("/dev/null").toFile());
        builder.redirectErrorStream(true);
        builder.redirectOutput(log.toFile());
        return builder.start();
    }

    @Override
    public Optional<Child> find(long pid, Instant startedAt) {
        return find(pid).filter(child -> child.startedAt().equals(startedAt));
    }

    @Override
    public Optional<Child> find(long pid) {
        return ProcessHandle.of(pid).<Child>map(OwnChild::new).filter(Child::isAlive);
    }

    @Override
    public void close() {
        spawning.shutdownNow();
    }

    /// Ours, or an earlier service's: the operating system makes little difference between them.
    private record OwnChild(ProcessHandle handle) implements Child {
        @Override
        public long pid() {
            return handle.pid();
        }

        @Override
        public Instant startedAt() {
            return handle.info().startInstant().orElse(Instant.EPOCH);
        }

        /// A dead process that its parent has not yet reaped is dead; of an earlier service's children, the
        /// parent is the
        /// host's init, which may take its time.
        @Override
        public boolean isAlive() {
            return handle.isAlive() && !isZombie();
        }

        private boolean isZombie() {
            try {
                String stat =
                        Files.readString(Path.of("/proc", Long.toString(pid()), "stat"), StandardCharsets.ISO_8859_1);
                return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
            } catch (IOException e) {
                return true;
            }
        }

        @Override
        public void kill() {
            handle.destroyForcibly();
        }

        @Override
        public CompletableFuture<Void> exited() {
            return handle.onExit().thenApply(_ -> null);
        }
    }
}
