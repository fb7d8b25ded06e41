package dev.capsem.process.guest;

import dev.capsem.wire.guest.EnvironmentVariable;
import dev.capsem.wire.guest.ExecId;
import dev.capsem.wire.guest.HostMessage;
import java.util.List;
import java.util.Optional;

/// A command to run in the guest.
///
/// @param keepBytesMax per stream, how much of the output is handed on; the rest is counted and dropped
public record GuestExecRequest(
        Kind kind,
        List<String> argv,
        String cwd,
        List<EnvironmentVariable> environment,
        boolean stdin,
        Optional<WindowSize> window,
        long keepBytesMax) {
    /// The agent's treatment of `argv`.
    public enum Kind {
        COMMAND,
        /// `argv[0]` names an operation of the agent; see the protocol.
        FILE_OPERATION
    }

    public record WindowSize(int rows, int columns) {}

    public static final long KEEP_ALL = Long.MAX_VALUE;

    public GuestExecRequest {
        argv = List.copyOf(argv);
        environment = List.copyOf(environment);
    }

    public boolean terminal() {
        return window.isPresent();
    }

    HostMessage.Exec message(ExecId id) {
        int flags = (terminal() ? HostMessage.FLAG_TERMINAL : 0)
                | (stdin ? HostMessage.FLAG_STDIN : 0)
                | (kind == Kind.FILE_OPERATION ? HostMessage.FLAG_FILE_OPERATION : 0);
        int rows = window.map(WindowSize::rows).orElse(0);
        int columns = window.map(WindowSize::columns).orElse(0);
        return new HostMessage.Exec(id, flags, rows, columns, cwd, argv, environment);
    }
}
