package dev.capsem.process.io;

import dev.capsem.wire.io.IpcConnection;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.io.UnixListener;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/// Accepts the service's connections and gives each, after its Hello, to a thread of its own.
public final class InstanceServer {
    /// Commands, live views and short requests together; more wait in the kernel's queue.
    private static final int CONNECTIONS_MAX = 512;

    private final UnixListener listener;
    private final Consumer<IpcConnection<ServiceMessage, ProcessMessage>> operation;
    private final Consumer<IpcException> onDropped;
    private final TaskScope scope;
    private final Semaphore places = new Semaphore(CONNECTIONS_MAX);

    public InstanceServer(
            UnixListener listener,
            TaskScope scope,
            Consumer<IpcConnection<ServiceMessage, ProcessMessage>> operation,
            Consumer<IpcException> onDropped) {
        this.listener = listener;
        this.operation = operation;
        this.onDropped = onDropped;
        this.scope = scope;
    }

    /// Returns when the listener is closed.
    public void run() {
        try {
            while (true) {
                places.acquire();
                Optional<SocketChannel> channel = listener.accept();
                if (channel.isEmpty()) {
                    places.release();
                    return;
                }
                scope.start(() -> serve(channel.get()));
            }
        } catch (IOException e) {
            throw new IllegalStateException("the instance socket broke", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// How many connections are being served.
    public int busy() {
        return CONNECTIONS_MAX - places.availablePermits();
    }

    private void serve(SocketChannel channel) {
        try (IpcConnection<ServiceMessage, ProcessMessage> connection = IpcConnection.accept(
                channel, "capsem-process", ProcessHandle.current().pid())) {
            operation.accept(connection);
        } catch (IpcException e) {
            onDropped.accept(e);
        } finally {
            places.release();
        }
    }
}
