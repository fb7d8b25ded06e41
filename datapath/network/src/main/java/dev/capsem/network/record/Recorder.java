package dev.capsem.network.record;

import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.network.metrics.NetworkMetrics;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hands what happened to the sink, off the event loop. What passed untouched is offered; what we interfered with
/// waits until the sink has room, and its exchange with it.
public final class Recorder {
    private static final Logger LOG = LoggerFactory.getLogger(Recorder.class);

    private final EventSink sink;
    private final Executor threads;
    private final NetworkMetrics metrics;
    private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
    /// How many are waiting or being stored; whoever makes it one starts the thread that stores them.
    private final AtomicInteger count = new AtomicInteger();

    private record Waiting(Supplier<List<RecordedExchange>> exchanges, CompletableFuture<Void> done) {}

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
        Waiting next = new Waiting(exchanges, new CompletableFuture<>());
        waiting.add(next);
        if (count.getAndIncrement() == 0) {
            threads.execute(this::storeAll);
        }
        return next.done();
    }

    /// One thread at a time, so that what happened first is stored first.
    private void storeAll() {
        do {
            Waiting next = Objects.requireNonNull(waiting.poll(), "it was counted after it was added");
            try {
                next.exchanges().get().forEach(this::store);
            } catch (RuntimeException bug) {
                LOG.error("an exchange could not be recorded", bug);
            } finally {
                next.done().complete(null);
            }
        } while (count.decrementAndGet() > 0);
    }

    private void store(RecordedExchange exchange) {
        if (!exchange.event().isDroppable()) {
            sink.recordOrWait(exchange);
        } else if (sink.offer(exchange) == EventSink.Receipt.DROPPED) {
            metrics.telemetryDropped();
        }
    }
}
