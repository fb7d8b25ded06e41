package dev.capsem.client;

import dev.capsem.wire.service.ServiceError;
import dev.capsem.wire.service.TerminalControl;
import java.util.Optional;

/// A command that runs in a sandbox. One thread calls [#next], any thread sends.
public interface GuestCommand extends AutoCloseable {
    sealed interface Event {
        /// @param stream 1 stdout or terminal, 2 stderr
        record Output(int stream, byte[] data) implements Event {}

        record Exited(int exitCode, Optional<String> message) implements Event {}

        record Failed(ServiceError error) implements Event {}
    }

    /// The next thing that happened; empty when the connection is over.
    Optional<Event> next();

    void input(byte[] data, int length);

    void control(TerminalControl control);

    /// Kills the command if it still runs.
    @Override
    void close();
}
