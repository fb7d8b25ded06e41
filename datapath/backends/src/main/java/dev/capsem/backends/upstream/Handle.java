package dev.capsem.backends.upstream;

import dev.capsem.backends.http.HttpClient;
import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Ends an exchange from outside. Safe for many threads.
final class Handle implements HttpClient.Watch {
    /// Guards the two fields below.
    private final Object lock = new Object();

    private @Nullable Closeable exchange;
    private boolean isClosed;

    @Override
    public void began(Closeable newExchange) {
        boolean isTooLate;
        synchronized (lock) {
            exchange = newExchange;
            isTooLate = isClosed;
        }
        if (isTooLate) {
            close(newExchange);
        }
    }

    boolean isClosed() {
        synchronized (lock) {
            return isClosed;
        }
    }

    void close() {
        Closeable running;
        synchronized (lock) {
            isClosed = true;
            running = exchange;
        }
        if (running != null) {
            close(running);
        }
    }

    private static void close(Closeable exchange) {
        try {
            exchange.close();
        } catch (IOException e) {
            // It is over either way.
        }
    }
}
