package dev.capsem.service.processes;

import dev.capsem.wire.io.IpcConnection;
import dev.capsem.wire.ipc.Answered;
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

    /// As [#receive()], where only one family of messages belongs.
    default <F extends ProcessMessage> Optional<F> receive(Class<F> family) {
        return receive().map(message -> IpcConnection.expected(family, message));
    }

    /// Asks, and waits for the one answer.
    default <R extends ProcessMessage> Answered<R> ask(ServiceMessage.Query<R> query) {
        send(query);
        Optional<ProcessMessage> answer = receive();
        if (answer.isEmpty()) {
            return new Answered.Closed<>();
        }
        return answer.get() instanceof ProcessMessage.Failed failed
                ? new Answered.Failure<>(failed)
                : new Answered.With<>(IpcConnection.expected(query.answer(), answer.get()));
    }

    @Override
    void close();
}
