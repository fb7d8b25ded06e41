package dev.capsem.wire.guest;

import java.util.List;

/// A message to the agent. Fields are those of `docs/reference/guest-protocol.md`.
public sealed interface HostMessage {
    /// Execs with a terminal carry their data on port 5001.
    int FLAG_TERMINAL = 1;
    /// Standard input follows as [Input]; without it the command reads /dev/null.
    int FLAG_STDIN = 2;
    /// `argv[0]` names an internal file operation.
    int FLAG_FILE_OPERATION = 4;

    record Boot(long unixTimeNanos, String hostname, List<EnvironmentVariable> environment) implements HostMessage {
        public Boot {
            environment = List.copyOf(environment);
        }
    }

    record Exec(
            ExecId id,
            int flags,
            int rows,
            int columns,
            String cwd,
            List<String> argv,
            List<EnvironmentVariable> environment)
            implements HostMessage {
        public Exec {
            argv = List.copyOf(argv);
            environment = List.copyOf(environment);
        }
    }

    record Signal(ExecId id, int number) implements HostMessage {}

    record Resize(ExecId id, int rows, int columns) implements HostMessage {}

    record Shutdown(long graceMillis) implements HostMessage {}

    record Ping(long nonce, long unixTimeNanos) implements HostMessage {}

    record Input(ExecId id, byte[] data) implements HostMessage {}

    record InputEnd(ExecId id) implements HostMessage {}

    record OutputCredit(ExecId id, long bytes) implements HostMessage {}
}
