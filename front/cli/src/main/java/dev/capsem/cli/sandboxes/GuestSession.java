package dev.capsem.cli.sandboxes;

import dev.capsem.cli.CliContext;
import dev.capsem.cli.CliProblem;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.client.GuestCommand;
import dev.capsem.cli.screen.RawTerminal;
import dev.capsem.cli.screen.Screen;
import dev.capsem.wire.io.ServiceCallException;
import dev.capsem.wire.io.TerminalConnection.Event;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.TerminalControl;
import dev.capsem.wire.service.TerminalStart;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Optional;

/// Runs one command in a sandbox with our streams as its own. Ending this process kills it, so Ctrl-C does.
final class GuestSession {
    private static final int CHUNK = 32 * 1024;

    private final CliContext context;
    private final Screen screen;

    GuestSession(CliContext context) {
        this.context = context;
        this.screen = context.screen();
    }

    /// With pipes. Our stdin is passed on unless it is a terminal: nobody types into a command without one.
    int runWithPipes(String id, ExecRequest request) {
        var start = new TerminalStart(request, false, TerminalStart.ROWS_DEFAULT, TerminalStart.COLUMNS_DEFAULT);
        try (GuestCommand command = context.service().start(id, start)) {
            if (screen.terminals().in()) {
                command.control(new TerminalControl.InputEnd());
            } else {
                forward(screen.in(), command, true);
            }
            return pump(command, screen.out(), screen.err());
        }
    }

    /// With a terminal of its own, joined to ours: raw mode, size changes, and ours restored whatever happens.
    int runWithTerminal(String id, ExecRequest request) {
        if (!screen.terminals().in() || !screen.terminals().out()) {
            throw CliProblem.usage(
                    "stdin and stdout must be a terminal for this",
                    "leave out -t, or use `capsem exec` for a command without a terminal");
        }
        screen.out().flush();
        try (RawTerminal terminal = RawTerminal.enter()) {
            RawTerminal.Size size = terminal.size();
            var start = new TerminalStart(request, true, size.rows(), size.columns());
            try (GuestCommand command = context.service().start(id, start)) {
                terminal.onResize(now -> command.control(new TerminalControl.Resize(now.rows(), now.columns())));
                forward(screen.in(), command, false);
                return pump(command, screen.out(), screen.err());
            }
        }
    }

    /// A daemon thread: a read from a terminal or pipe cannot be interrupted, and must not keep us alive.
    private static void forward(InputStream input, GuestCommand command, boolean hasEnd) {
        Thread.ofPlatform().daemon().name("stdin").start(() -> {
            byte[] chunk = new byte[CHUNK];
            try {
                for (int length = input.read(chunk); length >= 0; length = input.read(chunk)) {
                    command.input(chunk, length);
                }
                if (hasEnd) {
                    command.control(new TerminalControl.InputEnd());
                }
            } catch (IOException | ServiceCallException over) {
                // The command ended first, or our stdin is gone: its output decides what happens next.
            }
        });
    }

    private int pump(GuestCommand command, OutputStream out, OutputStream err) {
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
                    if (!write(output.stream() == 2 ? err : out, output.data())) {
                        return ExitCode.OUTPUT_CLOSED;
                    }
                }
                case Event.Exited exited -> {
                    exited.message().ifPresent(why -> screen.remark("capsem: " + why));
                    return exited.exitCode();
                }
                case Event.Failed failed ->
                    throw new ServiceCallException(ServiceCallException.NO_ANSWER, failed.error());
            }
        }
    }

    private static boolean write(OutputStream stream, byte[] data) {
        try {
            stream.write(data);
            stream.flush();
            return !(stream instanceof PrintStream print && print.checkError());
        } catch (IOException closed) {
            return false;
        }
    }
}
