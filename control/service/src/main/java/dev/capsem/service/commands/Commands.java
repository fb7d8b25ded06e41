package dev.capsem.service.commands;

import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.processes.Instances;
import dev.capsem.service.processes.IpcDrops;
import dev.capsem.service.processes.ProcessConnection;
import dev.capsem.service.processes.ProcessConnector;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.table.Activities;
import dev.capsem.service.table.Sandbox;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.ServiceError;
import dev.capsem.wire.service.TerminalStart;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
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
    private final ProcessConnector connector;
    private final IpcDrops drops;
    private final TaskScope background;
    private final KeptOutput.Budget budget;
    private final Activities activities;

    public Commands(
            Sandboxes sandboxes,
            ProcessConnector connector,
            IpcDrops drops,
            TaskScope background,
            KeptOutput.Budget budget,
            Activities activities) {
        this.sandboxes = sandboxes;
        this.connector = connector;
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

    /// The kept output of one stream of a command.
    public interface Output {
        InputStream open();

        int size();

        byte[] bytes();
    }

    /// A command that ended, with its output. What that takes of memory is accounted for until it is closed.
    public static final class Finished implements AutoCloseable {
        private final ExecEvent.Exited exited;
        private final KeptOutput kept;

        private Finished(ExecEvent.Exited exited, KeptOutput kept) {
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
                    exited.durationMs(),
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
        activities.began(sandbox, exec.command().shown());
        KeptOutput kept = new KeptOutput(budget);
        boolean isFinished = false;
        try (CommandStream stream = open(sandbox, exec);
                ClientProbe caller = new ClientProbe(pulse, stream, background)) {
            try {
                feed(stream, request.stdin());
                ExecEvent.Exited exited = run(sandbox.id(), stream, kept::add);
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
        activities.began(sandbox, exec.command().shown());
        try (CommandStream stream = open(sandbox, exec);
                ClientProbe reader = new ClientProbe(pulse, stream, background)) {
            Consumer<ExecEvent> told = event -> reader.between(() -> events.accept(event));
            try {
                feed(stream, request.stdin());
                told.accept(run(sandbox.id(), stream, told));
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
        return CommandRules.check(request, Optional.empty(), false, 0).command().shown();
    }

    /// Fails now what would fail before the first byte of a stream: after that the status is already sent.
    public void requireStartable(String id, ExecRequest request) {
        check(request);
        sandboxes.running(id);
    }

    /// A command whose input and output the caller pumps. Closing it before it ended kills it.
    public CommandStream start(String id, TerminalStart start) {
        Optional<ServiceMessage.Terminal> window = start.tty()
                ? Optional.of(new ServiceMessage.Terminal(start.rows(), start.columns()))
                : Optional.empty();
        ServiceMessage.Exec exec = CommandRules.check(start.exec(), window, true, 0);
        Sandbox sandbox = sandboxes.running(id);
        activities.began(sandbox, exec.command().shown());
        try {
            return open(sandbox, exec);
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
                CommandStream stream = open(sandbox, operation)) {
            feed(stream, content);
            ExecEvent.Exited exited = run(sandbox.id(), stream, kept::add);
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

    private CommandStream open(Sandbox sandbox, ServiceMessage operation) {
        Path socket = Instances.required(sandbox).socket();
        ProcessConnection connection = connector.open(socket);
        try {
            return CommandStream.begin(sandbox.id().value(), connection, operation);
        } catch (IpcException e) {
            connection.close();
            throw e;
        }
    }

    /// Passes on all events but the last, which it returns.
    private ExecEvent.Exited run(SandboxId id, CommandStream stream, Consumer<ExecEvent> events) {
        while (true) {
            ExecEvent event = stream.next().orElseThrow(() -> drops.closed(id, "exec"));
            switch (event) {
                case ExecEvent.Started _, ExecEvent.Stdout _, ExecEvent.Stderr _ -> events.accept(event);
                case ExecEvent.Exited exited -> {
                    requireNotStopped(id, exited);
                    return exited;
                }
                case ExecEvent.Failed failed
                when GONE.contains(failed.error().code()) ->
                    throw new IpcException(
                            IpcException.Code.LOST, failed.error().error());
                case ExecEvent.Failed failed -> throw refused(failed.error());
            }
        }
    }

    /// A command that died because its sandbox was stopped at a limit did not end by itself.
    private void requireNotStopped(SandboxId id, ExecEvent.Exited exited) {
        if (exited.exitCode() > DIED_BY_SIGNAL) {
            drops.stopped(id).ifPresent(reason -> {
                throw reason;
            });
        }
    }

    private static ServiceProblem refused(ServiceError failed) {
        return switch (failed.code()) {
            case "too_many_execs" ->
                new ServiceProblem(ServiceProblem.Code.TOO_MANY_COMMANDS, failed.error(), failed.remedy());
            case "blocked" ->
                new ServiceProblem(ServiceProblem.Code.BLOCKED, "exec failed: " + failed.error(), failed.remedy());
            case "record_unavailable" ->
                new ServiceProblem(ServiceProblem.Code.RECORD_UNAVAILABLE, failed.error(), failed.remedy());
            case "bad_command" -> new ServiceProblem(ServiceProblem.Code.BAD_COMMAND, failed.error(), failed.remedy());
            default ->
                new ServiceProblem(
                        ServiceProblem.Code.OPERATION_FAILED, "exec failed: " + failed.error(), failed.remedy());
        };
    }

    /// Beside the reading: a command may answer before it has read all of its input.
    private void feed(CommandStream stream, Optional<byte[]> input) {
        input.ifPresent(bytes -> background.start(() -> {
            try {
                stream.input(ByteBuffer.wrap(bytes));
                stream.endInput();
            } catch (IpcException e) {
                // The command ended without reading all of its input; its exit says the rest.
            }
        }));
    }
}
