package dev.capsem.service.processes;

import java.nio.file.Path;
import java.time.Duration;

/// Opens connections to capsem-processes.
public interface ProcessConnector {
    /// Throws [dev.capsem.wire.io.IpcException] when nobody, or nobody of our version, answers.
    ProcessConnection open(Path socket);

    /// The same, and the connection closes itself when the time is up.
    ProcessConnection open(Path socket, Duration limit);
}
