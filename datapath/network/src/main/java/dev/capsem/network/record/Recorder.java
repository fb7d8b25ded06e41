package dev.capsem.network.record;

import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.network.metrics.NetworkMetrics;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/// Hands what happened to the sink, off the event loop. What passed untouched is offered; what we interfered with
/// waits until the sink has room, and its exchange with it.
public final class Recorder {
    private final EventSink sink;
    private final Executor threads;
    private final NetworkMetrics metrics;

    /// @param threads virtual ones: recording may wait
    public Recorder(EventSink sink, Executor threads, NetworkMetrics metrics) {
        this.sink = sink;
        this.threads = threads;
        this.metrics = metrics;
    }

    /// Builds the rows and stores them, in order, on another thread.
    ///
    /// @return done when all of them are with the sink, or it is closed; never exceptionally
    public CompletableFuture<Void> record(Supplier<List<RecordedExchange>> exchanges) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                exchanges.get().forEach(this::store);
            } finally {
                done.complete(null);
            }
        });
        return done;
    }

    private void store(RecordedExchange exchange) {
        if (!exchange.event().isDroppable()) {
            sink.recordOrWait(exchange);
        } else if (sink.offer(exchange) == EventSink.Receipt.DROPPED) {
            metrics.telemetryDropped();
        }
    }
}
