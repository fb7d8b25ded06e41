package dev.capsem.process.record;

import dev.capsem.events.Admission;
import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.row.Projection;
import dev.capsem.events.vocabulary.EventType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// An event sink that keeps everything, in order.
public final class RecordedEvents implements EventSink {
    private final List<RecordedExchange> all = new CopyOnWriteArrayList<>();

    private final AtomicInteger places = new AtomicInteger();
    private volatile boolean isFull;
    private volatile boolean isClosed;

    /// From now on nothing new may begin, as on a full disk; or it may again.
    public void full(boolean now) {
        isFull = now;
    }

    /// From now on nothing is taken any more, as when the sandbox ends.
    public void close() {
        isClosed = true;
    }

    /// Places that were given and not given back.
    public int places() {
        return places.get();
    }

    @Override
    public CompletableFuture<Admission> admit(EventType kind) {
        return CompletableFuture.completedFuture(admitNow(kind));
    }

    @Override
    public Admission admitNow(EventType kind) {
        if (isFull) {
            return new Admission.Refused("the disk is full", "free some space");
        }
        places.incrementAndGet();
        AtomicBoolean isGivenBack = new AtomicBoolean();
        return new Admission.Admitted(() -> {
            if (isGivenBack.compareAndSet(false, true)) {
                places.decrementAndGet();
            }
        });
    }

    @Override
    public Receipt record(RecordedExchange exchange, Admission.Place place) {
        return recordOrWait(exchange);
    }

    @Override
    public Receipt note(RecordedExchange exchange) {
        return recordOrWait(exchange);
    }

    @Override
    public Receipt offer(RecordedExchange exchange) {
        if (!exchange.event().isObservation()) {
            throw new IllegalArgumentException("an event that must not be lost was offered as one that may");
        }
        all.add(exchange);
        return Receipt.ACCEPTED;
    }

    @Override
    public Receipt recordOrWait(RecordedExchange exchange) {
        if (isClosed) {
            return Receipt.REFUSED;
        }
        all.add(exchange);
        return Receipt.ACCEPTED;
    }

    public List<RecordedExchange> all() {
        return all;
    }

    public <R extends Projection> List<R> rows(Class<R> kind) {
        return all.stream()
                .flatMap(exchange -> exchange.rows().stream())
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }
}
