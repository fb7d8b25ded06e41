package dev.capsem.service.io;

import dev.capsem.service.processes.ProcessConnection;
import dev.capsem.service.processes.ProcessConnector;
import dev.capsem.wire.io.Deadline;
import dev.capsem.wire.io.IpcConnection;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/// Real connections to real processes.
public final class IpcConnector implements ProcessConnector {
    private static final String PEER = "capsem-service";
    private static final Duration HELLO_MIN = Duration.ofSeconds(5);

    @Override
    public ProcessConnection open(Path socket) {
        return new Link(IpcConnection.connect(socket, PEER), Optional.empty());
    }

    @Override
    public ProcessConnection open(Path socket, Duration limit) {
        // Who wants a quick answer wants a quick Hello as well.
        var connection = IpcConnection.connect(
                socket, PEER, limit.compareTo(HELLO_MIN) < 0 ? HELLO_MIN : IpcConnection.HANDSHAKE_TIMEOUT);
        return new Link(connection, Optional.of(connection.deadline(limit)));
    }

    private record Link(IpcConnection<ProcessMessage, ServiceMessage> connection, Optional<Deadline> deadline)
            implements ProcessConnection {
        @Override
        public long pid() {
            return connection.peerPid();
        }

        @Override
        public void send(ServiceMessage message) {
            connection.send(message);
        }

        @Override
        public Optional<ProcessMessage> receive() {
            return connection.receive();
        }

        @Override
        public void close() {
            deadline.ifPresent(Deadline::close);
            connection.close();
        }
    }
}
