package dev.capsem.process.guest;

import dev.capsem.wire.guest.OutputStreamName;
import java.util.Optional;

/// The next event for the caller of a command.
public sealed interface GuestExecEvent {
    record Started(long guestPid) implements GuestExecEvent {}

    record Output(OutputStreamName stream, byte[] data) implements GuestExecEvent {}

    /// The command is over; nothing follows.
    ///
    /// @param exitCode as a shell would say it
    /// @param stdoutBytes the true size, kept or not
    record Over(int exitCode, Optional<String> message, long stdoutBytes, long stderrBytes) implements GuestExecEvent {}

    /// The sandbox is gone; nothing follows.
    record Lost(String reason) implements GuestExecEvent {}
}
