package dev.capsem.network.record;

import dev.capsem.events.Admission;
import dev.capsem.events.Admission.Place;
import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.network.metrics.NetworkMetrics;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hands what happened to the sink, off the event loop.
public final class ExchangeRecorder {
    private static final Logger LOG = LoggerFactory.getLogger(ExchangeRecorder.class);

    private final EventSink sink;
    private final Executor threads;
    private final NetworkMetrics metrics;
    private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
    /// How many are waiting or being stored; whoever makes it one starts the thread that stores them.
    private final AtomicInteger count = new AtomicInteger();

    private record Waiting(
            Supplier<List<RecordedExchange>> exchanges, Optional<Place> place, CompletableFuture<Void> done) {}

    /// @param threads for building rows, which is too slow for an event loop
    public ExchangeRecorder(EventSink sink, Executor threads, NetworkMetrics metrics) {
        this.sink = sink;
        this.threads = threads;
        this.metrics = metrics;
    }

    /// Whether an exchange may begin. Does not wait.
    public CompletableFuture<Admission> admit(EventType kind) {
        return sink.admit(kind);
    }

    /// Builds the rows of what was admitted and stores them, in order, on another thread; then gives its place back.
    ///
    /// @return done when all of them are with the sink, or it is closed; never exceptionally
    public CompletableFuture<Void> record(Place place, Supplier<List<RecordedExchange>> exchanges) {
        return store(exchanges, Optional.of(place));
    }

    /// As [#record], for what was refused before it was admitted.
    public CompletableFuture<Void> note(Supplier<List<RecordedExchange>> exchanges) {
        return store(exchanges, Optional.empty());
    }

    private CompletableFuture<Void> store(Supplier<List<RecordedExchange>> exchanges, Optional<Place> place) {
        Waiting next = new Waiting(exchanges, place, new CompletableFuture<>());
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
                next.exchanges().get().forEach(exchange -> store(exchange, next.place()));
            } catch (RuntimeException bug) {
                LOG.error("an exchange could not be recorded", bug);
            } finally {
                next.place().ifPresent(Place::close);
                next.done().complete(null);
            }
        } while (count.decrementAndGet() > 0);
    }

    private void store(RecordedExchange exchange, Optional<Place> place) {
        EventSink.Receipt receipt =
                place.map(held -> sink.record(exchange, held)).orElseGet(() -> sink.note(exchange));
        if (receipt != EventSink.Receipt.ACCEPTED) {
            metrics.telemetryDropped();
        }
    }
}
