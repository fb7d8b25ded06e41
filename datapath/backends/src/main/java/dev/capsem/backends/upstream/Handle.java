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
        synchronized (lock) {
            exchange = newExchange;
            if (isClosed) {
                close(newExchange);
            }
        }
    }

    /// From here on the connection may be somebody else's.
    @Override
    public void ended() {
        synchronized (lock) {
            exchange = null;
        }
    }

    boolean isClosed() {
        synchronized (lock) {
            return isClosed;
        }
    }

    void close() {
        synchronized (lock) {
            isClosed = true;
            if (exchange != null) {
                close(exchange);
            }
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
