package dev.capsem.process.exec;

import dev.capsem.wire.io.IpcConnection;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;

/// Reads ahead from an asker whose command waits for a person, so that its leaving is noticed. What it says meanwhile
/// is kept for the command.
final class WaitingAsker {
    /// Messages kept; then the asker waits too, and its leaving goes unnoticed until the question is over.
    private static final int AHEAD_MAX = 64;

    private final IpcConnection<ServiceMessage, ProcessMessage> asker;
    private final BlockingQueue<Optional<ServiceMessage.ExecInput>> ahead = new ArrayBlockingQueue<>(AHEAD_MAX);
    private final CompletableFuture<Void> gone = new CompletableFuture<>();

    WaitingAsker(IpcConnection<ServiceMessage, ProcessMessage> asker) {
        this.asker = asker;
    }

    /// Completes when the asker left.
    CompletableFuture<Void> gone() {
        return gone;
    }

    /// Reads until the asker leaves or this thread is interrupted.
    void read() {
        try {
            Optional<ServiceMessage.ExecInput> message;
            do {
                message = receive();
                if (message.isEmpty()) {
                    gone.complete(null);
                }
                ahead.put(message);
            } while (message.isPresent());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// The next message, in order; empty when there are no more.
    Optional<ServiceMessage.ExecInput> next() throws InterruptedException {
        return ahead.take();
    }

    private Optional<ServiceMessage.ExecInput> receive() {
        try {
            return asker.receive(ServiceMessage.ExecInput.class);
        } catch (IpcException e) {
            return Optional.empty();
        }
    }
}
