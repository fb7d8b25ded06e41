package dev.capsem.service.processes;

import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import java.util.Optional;

/// One connection to a capsem-process, good for one operation. Every method throws
/// [dev.capsem.wire.io.IpcException] when it is lost.
public interface ProcessConnection extends AutoCloseable {
    /// Of the process at the other end, as it says itself.
    long pid();

    void send(ServiceMessage message);

    /// Empty when the other side closed it.
    Optional<ProcessMessage> receive();

    @Override
    void close();
}
