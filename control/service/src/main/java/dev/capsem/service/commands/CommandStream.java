package dev.capsem.service.commands;

import dev.capsem.service.processes.ProcessConnection;
import dev.capsem.wire.ipc.IpcProtocol;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ServiceError;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/// A command that runs: its events in their order, and what can be sent to it. Closing it before it ended kills it.
/// Every method throws [dev.capsem.wire.io.IpcException] when the sandbox is lost.
public final class CommandStream implements AutoCloseable {
    private final String sandbox;
    private final ProcessConnection connection;

    private CommandStream(String sandbox, ProcessConnection connection) {
        this.sandbox = sandbox;
        this.connection = connection;
    }

    /// @param operation the first message, which the process answers with the events of one command
    static CommandStream begin(String sandbox, ProcessConnection connection, ServiceMessage operation) {
        connection.send(operation);
        return new CommandStream(sandbox, connection);
    }

    /// Empty when the process closed the connection. The last event is [ExecEvent.Exited] or [ExecEvent.Failed], with
    /// the code of the process.
    public Optional<ExecEvent> next() {
        return connection.receive(ProcessMessage.ExecReply.class).map(this::event);
    }

    private ExecEvent event(ProcessMessage.ExecReply message) {
        return switch (message) {
            case ProcessMessage.Started started -> new ExecEvent.Started(sandbox, started.guestPid(), List.of());
            case ProcessMessage.Output output ->
                output.stream() == 2 ? new ExecEvent.Stderr(output.data()) : new ExecEvent.Stdout(output.data());
            case ProcessMessage.Exited exited ->
                new ExecEvent.Exited(
                        exited.exitCode(),
                        exited.took().toMillis(),
                        exited.stdoutBytes(),
                        exited.stderrBytes(),
                        exited.timedOut(),
                        exited.message());
            case ProcessMessage.Failed failed ->
                new ExecEvent.Failed(
                        new ServiceError(failed.cause(), failed.code().wireName(), failed.remedy()));
        };
    }

    public void input(ByteBuffer bytes) {
        while (bytes.hasRemaining()) {
            byte[] data = new byte[Math.min(bytes.remaining(), IpcProtocol.DATA_BYTES_MAX)];
            bytes.get(data);
            connection.send(new ServiceMessage.Input(data));
        }
    }

    public void endInput() {
        connection.send(new ServiceMessage.InputEnd());
    }

    public void resize(int rows, int columns) {
        connection.send(new ServiceMessage.Resize(rows, columns));
    }

    public void signal(int number) {
        connection.send(new ServiceMessage.Signal(number));
    }

    @Override
    public void close() {
        connection.close();
    }
}
