package dev.capsem.cli.sandboxes;

import dev.capsem.cli.approvals.ApprovalPrompt;
import dev.capsem.cli.approvals.WatchedFeed;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.screen.RawTerminal;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.GuestCommand;
import dev.capsem.client.GuestCommand.Event;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.TerminalControl;
import dev.capsem.wire.service.TerminalStart;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/// Runs one command in a sandbox with our streams as its own. Ending this process kills it, so Ctrl-C does.
public final class TerminalSession {
    private static final int CHUNK = 32 * 1024;

    private final CliContext context;
    private final Screen screen;

    /// What was typed after the command had ended: one thread reads our stdin, and nobody can stop it reading.
    private final BlockingQueue<byte[]> late = new LinkedBlockingQueue<>();

    private volatile boolean isReading;
    private volatile boolean isOver;

    public TerminalSession(CliContext context) {
        this.context = context;
        this.screen = context.screen();
    }

    /// What a person types once the command has ended.
    public InputStream keys() {
        return isReading ? new LateKeys(late) : screen.in();
    }

    /// The same, where nobody answers questions although there is a terminal: they are refused at once.
    public int runUnattended(String id, ExecRequest request) {
        var start = new TerminalStart(request, false, TerminalStart.ROWS_DEFAULT, TerminalStart.COLUMNS_DEFAULT);
        try (ApprovalPrompt attendance = ApprovalPrompt.silent(context, id);
                GuestCommand command = context.service().start(id, start)) {
            command.control(new TerminalControl.InputEnd());
            return pump(command, attendance);
        }
    }

    /// With pipes. Our stdin is passed on unless it is a terminal: nobody types into a command without one.
    public int runWithPipes(String id, ExecRequest request) {
        var start = new TerminalStart(request, false, TerminalStart.ROWS_DEFAULT, TerminalStart.COLUMNS_DEFAULT);
        try (ApprovalPrompt attendance = ApprovalPrompt.beside(context, id);
                GuestCommand command = context.service().start(id, start)) {
            if (screen.terminals().in()) {
                command.control(new TerminalControl.InputEnd());
            } else {
                forward(command, (_, _) -> false, true);
            }
            return pump(command, attendance);
        }
    }

    /// With a terminal of its own, joined to ours: raw mode, size changes, and ours restored whatever happens.
    public int runWithTerminal(String id, ExecRequest request) {
        if (!screen.terminals().in() || !screen.terminals().out()) {
            throw CliProblem.usage(
                    "stdin and stdout must be a terminal for this",
                    "leave out -t, or use `capsem exec` for a command without a terminal");
        }
        screen.out().flush();
        try (RawTerminal terminal = RawTerminal.enter()) {
            RawTerminal.Size size = terminal.size();
            var start = new TerminalStart(request, true, size.rows(), size.columns());
            try (WatchedFeed feed = WatchedFeed.of(context.service(), id);
                    GuestCommand command = context.service().start(id, start);
                    ApprovalPrompt attendance = ApprovalPrompt.onTerminal(
                            context, feed, terminal::size, new OnTerminal(command, terminal))) {
                terminal.onResize(now -> resize(command, now.rows(), now.columns()));
                forward(command, attendance::take, false);
                return pump(command, attendance);
            }
        }
    }

    private record OnTerminal(GuestCommand command, RawTerminal terminal) implements ApprovalPrompt.GuestProgram {
        @Override
        public void input(byte[] typed, int length) {
            command.input(typed, length);
        }

        /// A changed size makes a program draw its whole screen again, and only a changed one does.
        @Override
        public void redraw() {
            RawTerminal.Size size = terminal.size();
            resize(command, Math.max(1, size.rows() - 1), size.columns());
            resize(command, size.rows(), size.columns());
        }
    }

    private static void resize(GuestCommand command, int rows, int columns) {
        command.control(new TerminalControl.Resize(rows, columns));
    }

    /// Keys that are not for the guest.
    private interface Intercept {
        boolean take(byte[] typed, int length);
    }

    /// A daemon thread: a read from a terminal or pipe cannot be interrupted, and must not keep us alive.
    private void forward(GuestCommand command, Intercept intercept, boolean hasEnd) {
        InputStream input = screen.in();
        isReading = true;
        Thread.ofPlatform().daemon().name("stdin").start(() -> {
            byte[] chunk = new byte[CHUNK];
            try {
                for (int length = input.read(chunk); length >= 0; length = input.read(chunk)) {
                    if (isOver) {
                        late.add(Arrays.copyOf(chunk, length));
                    } else if (!intercept.take(chunk, length)) {
                        command.input(chunk, length);
                    }
                }
                late.add(new byte[0]);
                if (hasEnd && !isOver) {
                    command.control(new TerminalControl.InputEnd());
                }
            } catch (IOException | ServiceCallException over) {
                late.add(new byte[0]);
                // The command ended first, or our stdin is gone: its output decides what happens next.
            }
        });
    }

    private int pump(GuestCommand command, ApprovalPrompt attendance) {
        while (true) {
            Optional<Event> event = command.next();
            if (event.isEmpty()) {
                throw CliProblem.of(
                        "connection_lost",
                        "the connection to the command was lost",
                        "look at `capsem list` and `capsem service status`");
            }
            switch (event.get()) {
                case Event.Output output -> {
                    if (!attendance.write(output.stream() == 2 ? screen.err() : screen.out(), output.data())) {
                        return ExitCode.OUTPUT_CLOSED;
                    }
                }
                case Event.Exited exited -> {
                    isOver = true;
                    attendance.close();
                    exited.message().ifPresent(why -> screen.remark("capsem: " + why));
                    return exited.exitCode();
                }
                case Event.Failed failed ->
                    throw new ServiceCallException(ServiceCallException.NO_ANSWER, failed.error());
            }
        }
    }
}
