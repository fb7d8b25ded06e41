package dev.capsem.service.commands;

import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.TerminalStart;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The one command of a connection: started by its first frame, written to by later ones, read on a thread of its own.
public final class InteractiveCommand {
    private final Commands commands;
    private final String sandbox;
    private volatile @Nullable CommandStream running;

    public InteractiveCommand(Commands commands, String sandbox) {
        this.commands = commands;
        this.sandbox = sandbox;
    }

    /// The course of the command, one event at a time.
    public interface Reader {
        /// Whether anybody still reads; else the command is killed.
        boolean take(ExecEvent event);

        /// The sandbox ended before the command did; nothing follows.
        void lost();
    }

    public boolean isStarted() {
        return running != null;
    }

    /// Throws [dev.capsem.service.problem.ServiceProblem] when it cannot start; then nothing is read.
    public void start(TerminalStart start, Reader reader) {
        CommandStream started = commands.start(sandbox, start);
        running = started;
        Thread.ofVirtual().name("terminal-" + sandbox).start(() -> read(started, reader));
    }

    private static void read(CommandStream stream, Reader reader) {
        try (stream) {
            for (Optional<ExecEvent> event = stream.next(); event.isPresent(); event = stream.next()) {
                boolean isRead = reader.take(event.get());
                if (!isRead || isLast(event.get())) {
                    return;
                }
            }
            reader.lost();
        } catch (IpcException e) {
            reader.lost();
        }
    }

    private static boolean isLast(ExecEvent event) {
        return switch (event) {
            case ExecEvent.Exited _, ExecEvent.Failed _ -> true;
            case ExecEvent.Started _, ExecEvent.Stdout _, ExecEvent.Stderr _ -> false;
        };
    }

    /// Input and control may arrive when the command is over and its end is on the way, or when the sandbox is gone:
    /// either way the reader has the last word.
    ///
    /// Requires: it is started.
    public void send(Consumer<CommandStream> message) {
        CommandStream started = running;
        if (started == null) {
            throw new IllegalStateException("the command is not started");
        }
        try {
            message.accept(started);
        } catch (IpcException e) {
            // Said above.
        }
    }

    /// Kills it if it runs.
    public void end() {
        CommandStream started = running;
        if (started != null) {
            started.close();
        }
    }
}
