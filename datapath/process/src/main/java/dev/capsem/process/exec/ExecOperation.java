package dev.capsem.process.exec;

import dev.capsem.events.Admission;
import dev.capsem.events.Admission.Place;
import dev.capsem.events.row.ExecRow;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.exchange.command.CommandInput;
import dev.capsem.exchange.command.CommandRun;
import dev.capsem.process.exec.CommandShell.OnRecord;
import dev.capsem.process.guest.AgentSession;
import dev.capsem.process.guest.GuestExecRequest;
import dev.capsem.process.record.Recorder;
import dev.capsem.wire.guest.EnvironmentVariable;
import dev.capsem.wire.io.IpcConnection;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.service.ExecRequest;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// Runs commands and file operations for IPC connections.
///
/// @param session with the guest's agent
/// @param furnish gives a command what every command of the sandbox has, when it is about to start
public record ExecOperation(
        AgentSession session,
        CommandGuard guard,
        UnaryOperator<GuestExecRequest> furnish,
        Recorder recorder,
        TerminalLog terminalLog,
        InstantSource clock) {
    /// Returns when the command is over and said so, or when nobody is left to tell.
    public void command(IpcConnection<ServiceMessage, ProcessMessage> asker, ServiceMessage.Exec request)
            throws InterruptedException {
        Admission admission = recorder.admitCommand();
        ProcessExec command = recorder.command(
                request.command().shown(),
                words(request.command()),
                request.cwd().isEmpty() ? Optional.empty() : Optional.of(request.cwd()),
                recorder.traceId(request.traceId()));
        CommandRun run = CommandRun.command(guard.judge(), command, request.timeout());
        switch (admission) {
            case Admission.Refused refused ->
                untilOver(asker, run, toGuest(request), Optional.empty(), new CommandInput.NotAdmitted(refused));
            case Admission.Admitted(Place place) -> {
                try (place) {
                    OnRecord onRecord = new OnRecord(command, source(request.source()), place);
                    untilOver(asker, run, toGuest(request), Optional.of(onRecord), new CommandInput.Admitted());
                }
            }
        }
    }

    /// None of a line: rules read it as it is.
    private static List<String> words(ExecRequest.Command command) {
        return switch (command) {
            case ExecRequest.Command.Shell _ -> List.of();
            case ExecRequest.Command.Argv(List<String> words) -> words;
        };
    }

    /// As [#command], but neither judged nor on record.
    public void fileOperation(IpcConnection<ServiceMessage, ProcessMessage> asker, ServiceMessage.FileOperation request)
            throws InterruptedException {
        GuestExecRequest toGuest = new GuestExecRequest(
                GuestExecRequest.Kind.FILE_OPERATION,
                request.argv(),
                "",
                List.of(),
                request.stdin(),
                Optional.empty(),
                GuestExecRequest.KEEP_ALL);
        untilOver(asker, CommandRun.fileOperation(), toGuest, Optional.empty(), new CommandInput.Admitted());
    }

    private void untilOver(
            IpcConnection<ServiceMessage, ProcessMessage> asker,
            CommandRun run,
            GuestExecRequest toGuest,
            Optional<OnRecord> onRecord,
            CommandInput first)
            throws InterruptedException {
        try (CommandShell shell = new CommandShell(this, asker, run, toGuest, onRecord)) {
            shell.untilOver(first);
        }
    }

    private static GuestExecRequest toGuest(ServiceMessage.Exec request) {
        return new GuestExecRequest(
                GuestExecRequest.Kind.COMMAND,
                request.command().argv(),
                request.cwd(),
                request.environment().entrySet().stream()
                        .map(entry -> new EnvironmentVariable(entry.getKey(), entry.getValue()))
                        .toList(),
                request.stdin() || request.terminal().isPresent(),
                request.terminal().map(size -> new GuestExecRequest.WindowSize(size.rows(), size.columns())),
                request.keepBytesMax() == 0 ? GuestExecRequest.KEEP_ALL : request.keepBytesMax());
    }

    private static ExecRow.Source source(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "cli" -> ExecRow.Source.CLI;
            case "mcp" -> ExecRow.Source.MCP;
            case "run" -> ExecRow.Source.RUN;
            case "shell" -> ExecRow.Source.SHELL;
            default -> ExecRow.Source.API;
        };
    }
}
