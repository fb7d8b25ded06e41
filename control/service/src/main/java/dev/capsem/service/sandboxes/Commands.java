package dev.capsem.service.sandboxes;

import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.IpcProtocol;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.TerminalStart;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// Runs commands in running sandboxes: answered in one piece, as a stream, or interactively. Any number at once.
public final class Commands {
    /// Above it an exit code names a signal.
    private static final int DIED_BY_SIGNAL = 128;
    /// What a process answers when its sandbox ended and it has not told anybody else yet.
    private static final Set<String> GONE = Set.of("not_running", "sandbox_gone");

    private final Sandboxes sandboxes;
    private final ProcessDoor door;
    private final IpcDrops drops;
    private final TaskScope background;
    private final KeptOutput.Budget budget;
    private final Activities activities;

    Commands(
            Sandboxes sandboxes,
            ProcessDoor door,
            IpcDrops drops,
            TaskScope background,
            KeptOutput.Budget budget,
            Activities activities) {
        this.sandboxes = sandboxes;
        this.door = door;
        this.drops = drops;
        this.background = background;
        this.budget = budget;
        this.activities = activities;
    }

    public ExecReply exec(String id, ExecRequest request) {
        try (Finished finished = finish(id, request, () -> {})) {
            return finished.reply();
        }
    }

    /// What a command printed to one stream, as far as it was kept.
    public interface Output {
        InputStream open();

        int size();

        byte[] bytes();
    }

    /// A command that ended, with its output. What that takes of memory is accounted for until it is closed.
    public static final class Finished implements AutoCloseable {
        private final ProcessMessage.Exited exited;
        private final KeptOutput kept;

        private Finished(ProcessMessage.Exited exited, KeptOutput kept) {
            this.exited = exited;
            this.kept = kept;
        }

        public Output stdout() {
            return kept.stdout();
        }

        public Output stderr() {
            return kept.stderr();
        }

        public ExecReply reply() {
            return reply(kept.stdoutText(), kept.stderrText());
        }

        /// All but the output.
        public ExecReply facts() {
            return reply("", "");
        }

        private ExecReply reply(String stdout, String stderr) {
            return new ExecReply(
                    stdout,
                    stderr,
                    exited.exitCode(),
                    exited.took().toMillis(),
                    exited.stdoutBytes(),
                    exited.stderrBytes(),
                    kept.isShortOf(exited.stdoutBytes(), exited.stderrBytes()),
                    exited.timedOut(),
                    exited.message(),
                    List.of());
        }

        @Override
        public void close() {
            kept.close();
        }
    }

    /// @param pulse called every second while it runs; when it throws, the command is killed
    public Finished finish(String id, ExecRequest request, Runnable pulse) {
        ServiceMessage.Exec exec =
                CommandRules.check(request, Optional.empty(), request.stdin().isPresent(), KeptOutput.STREAM_BYTES_MAX);
        Sandbox sandbox = sandboxes.running(id);
        activities.began(sandbox, exec.command());
        KeptOutput kept = new KeptOutput(budget);
        boolean isFinished = false;
        try (ProcessLink link = open(sandbox);
                Pulse caller = new Pulse(pulse, link, background)) {
            try {
                ProcessMessage.Exited exited = run(sandbox.id(), link, exec, request.stdin(), _ -> {}, kept::add);
                isFinished = true;
                return new Finished(exited, kept);
            } catch (IpcException e) {
                throw caller.gone().orElse(e);
            }
        } catch (IpcException e) {
            throw lost(sandbox, "exec", e);
        } finally {
            if (!isFinished) {
                kept.close();
            }
        }
    }

    /// Requires of `events`: when it throws, the command is killed.
    ///
    /// @param pulse called every second, between events; when it throws, the command is killed
    public void stream(String id, ExecRequest request, Consumer<ExecEvent> events, Runnable pulse) {
        ServiceMessage.Exec exec =
                CommandRules.check(request, Optional.empty(), request.stdin().isPresent(), 0);
        Sandbox sandbox = sandboxes.running(id);
        activities.began(sandbox, exec.command());
        try (ProcessLink link = open(sandbox);
                Pulse reader = new Pulse(pulse, link, background)) {
            Consumer<ExecEvent> told = event -> reader.between(() -> events.accept(event));
            try {
                ProcessMessage.Exited exited = run(
                        sandbox.id(),
                        link,
                        exec,
                        request.stdin(),
                        started -> told.accept(new ExecEvent.Started(id, started.guestPid(), List.of())),
                        (stream, data) ->
                                told.accept(stream == 2 ? new ExecEvent.Stderr(data) : new ExecEvent.Stdout(data)));
                told.accept(new ExecEvent.Exited(
                        exited.exitCode(),
                        exited.took().toMillis(),
                        exited.stdoutBytes(),
                        exited.stderrBytes(),
                        exited.timedOut(),
                        exited.message()));
            } catch (IpcException e) {
                throw reader.gone().orElse(e);
            }
        } catch (IpcException e) {
            throw lost(sandbox, "exec", e);
        }
    }

    /// A reader who leaves is noticed at the next event only.
    public void stream(String id, ExecRequest request, Consumer<ExecEvent> events) {
        stream(id, request, events, () -> {});
    }

    /// Refuses a command that no sandbox would be asked to run.
    public static void check(ExecRequest request) {
        CommandRules.check(request, Optional.empty(), false, 0);
    }

    /// The command as history shows it.
    public static String shown(ExecRequest request) {
        return CommandRules.check(request, Optional.empty(), false, 0).command();
    }

    /// Fails now what would fail before the first byte of a stream: after that the status is already sent.
    public void requireStartable(String id, ExecRequest request) {
        check(request);
        sandboxes.running(id);
    }

    /// A command whose input and output the caller pumps. Closing it before it ended kills it.
    public ProcessLink start(String id, TerminalStart start) {
        Optional<ServiceMessage.Terminal> window = start.tty()
                ? Optional.of(new ServiceMessage.Terminal(start.rows(), start.columns()))
                : Optional.empty();
        ServiceMessage.Exec exec = CommandRules.check(start.exec(), window, true, 0);
        Sandbox sandbox = sandboxes.running(id);
        activities.began(sandbox, exec.command());
        try {
            ProcessLink link = open(sandbox);
            link.send(exec);
            return link;
        } catch (IpcException e) {
            throw lost(sandbox, "exec", e);
        }
    }

    /// @param exitCode as the agent's file operations define it
    public record FileOutcome(int exitCode, byte[] output, String message) {}

    /// A file operation of the agent, which resolves paths inside the sandbox.
    public FileOutcome file(Sandbox sandbox, List<String> argv, Optional<byte[]> content) {
        ServiceMessage.FileOperation operation = new ServiceMessage.FileOperation(argv, content.isPresent());
        try (KeptOutput kept = new KeptOutput(budget);
                ProcessLink link = open(sandbox)) {
            ProcessMessage.Exited exited = run(sandbox.id(), link, operation, content, _ -> {}, kept::add);
            if (kept.isShortOf(exited.stdoutBytes(), 0)) {
                throw new ServiceProblem(
                        ServiceProblem.Code.TOO_LARGE,
                        "the answer is too large right now",
                        "try again, or ask for less");
            }
            return new FileOutcome(exited.exitCode(), kept.stdout().bytes(), kept.stderrText());
        } catch (IpcException e) {
            throw lost(sandbox, "file operation", e);
        }
    }

    /// The caller's next look should find what became of it.
    private ServiceProblem lost(Sandbox sandbox, String operation, IpcException e) {
        ServiceProblem refusal = drops.refuse(sandbox.id(), operation, e);
        sandboxes.settleSoon(sandbox);
        return refusal;
    }

    private ProcessLink open(Sandbox sandbox) {
        Path socket = Instances.required(sandbox).socket();
        return door.open(socket);
    }

    private interface OutputTaker {
        void take(int stream, byte[] data);
    }

    private ProcessMessage.Exited run(
            SandboxId id,
            ProcessLink link,
            ServiceMessage operation,
            Optional<byte[]> stdin,
            Consumer<ProcessMessage.Started> onStarted,
            OutputTaker onOutput) {
        link.send(operation);
        // Beside the reading below: a command may answer before it has read all of its input.
        stdin.ifPresent(bytes -> background.start(() -> feed(link, bytes)));
        while (true) {
            ProcessMessage message = link.receive().orElseThrow(() -> drops.closed(id, "exec"));
            switch (message) {
                case ProcessMessage.Started started -> onStarted.accept(started);
                case ProcessMessage.Output output -> onOutput.take(output.stream(), output.data());
                case ProcessMessage.Exited exited -> {
                    requireNotStopped(id, exited);
                    return exited;
                }
                case ProcessMessage.Failed failed
                when GONE.contains(failed.code()) -> throw new IpcException(IpcException.Code.LOST, failed.cause());
                case ProcessMessage.Failed failed -> throw refused(failed);
                default -> throw new IllegalStateException("unexpected answer to exec");
            }
        }
    }

    /// A command that died because its sandbox was stopped at a limit did not end by itself.
    private void requireNotStopped(SandboxId id, ProcessMessage.Exited exited) {
        if (exited.exitCode() > DIED_BY_SIGNAL) {
            drops.stopped(id).ifPresent(reason -> {
                throw reason;
            });
        }
    }

    private static ServiceProblem refused(ProcessMessage.Failed failed) {
        return switch (failed.code()) {
            case "too_many_execs" ->
                new ServiceProblem(ServiceProblem.Code.TOO_MANY_COMMANDS, failed.cause(), failed.remedy());
            case "blocked" ->
                new ServiceProblem(ServiceProblem.Code.BLOCKED, "exec failed: " + failed.cause(), failed.remedy());
            case "record_unavailable" ->
                new ServiceProblem(ServiceProblem.Code.RECORD_UNAVAILABLE, failed.cause(), failed.remedy());
            case "bad_command" -> new ServiceProblem(ServiceProblem.Code.BAD_COMMAND, failed.cause(), failed.remedy());
            default -> Instances.failed("exec", failed);
        };
    }

    private static void feed(ProcessLink link, byte[] bytes) {
        try {
            for (int from = 0; from < bytes.length; from += IpcProtocol.DATA_BYTES_MAX) {
                int to = Math.min(bytes.length, from + IpcProtocol.DATA_BYTES_MAX);
                link.send(new ServiceMessage.Input(Arrays.copyOfRange(bytes, from, to)));
            }
            link.send(new ServiceMessage.InputEnd());
        } catch (IpcException e) {
            // The command ended without reading all of its input; its exit says the rest.
        }
    }
}
