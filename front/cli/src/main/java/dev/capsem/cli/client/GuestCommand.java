package dev.capsem.cli.client;

import dev.capsem.client.io.TerminalConnection;
import dev.capsem.wire.service.TerminalControl;
import java.util.Optional;

/// A command that runs in a sandbox. One thread calls [#next], any thread sends.
public interface GuestCommand extends AutoCloseable {
    /// The next thing that happened; empty when the connection is over.
    Optional<TerminalConnection.Event> next();

    void input(byte[] data, int length);

    void control(TerminalControl control);

    /// Kills the command if it still runs.
    @Override
    void close();
}
