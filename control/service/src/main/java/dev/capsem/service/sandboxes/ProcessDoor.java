package dev.capsem.service.sandboxes;

import java.nio.file.Path;
import java.time.Duration;

/// Opens connections to capsem-processes.
public interface ProcessDoor {
    /// Throws [dev.capsem.wire.io.IpcException] when nobody, or nobody of our version, answers.
    ProcessLink open(Path socket);

    /// The same, and the connection closes itself when the time is up.
    ProcessLink open(Path socket, Duration limit);
}
