package dev.capsem.process.record;

import dev.capsem.events.Admission;
import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.vocabulary.EventType;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// An event sink before another: shows what passes to somebody.
public final class WatchedSink implements EventSink {
    private final EventSink next;
    private final Consumer<RecordedExchange> watcher;

    public WatchedSink(EventSink next, Consumer<RecordedExchange> watcher) {
        this.next = next;
        this.watcher = watcher;
    }

    @Override
    public CompletableFuture<Admission> admit(EventType kind) {
        return next.admit(kind);
    }

    @Override
    public Admission admitNow(EventType kind) {
        return next.admitNow(kind);
    }

    @Override
    public Receipt record(RecordedExchange exchange, Admission.Place place) {
        watcher.accept(exchange);
        return next.record(exchange, place);
    }

    @Override
    public Receipt note(RecordedExchange exchange) {
        watcher.accept(exchange);
        return next.note(exchange);
    }

    @Override
    public Receipt keep(RecordedExchange exchange) {
        watcher.accept(exchange);
        return next.keep(exchange);
    }

    @Override
    public Receipt offer(RecordedExchange exchange) {
        watcher.accept(exchange);
        return next.offer(exchange);
    }

    @Override
    public Receipt recordOrWait(RecordedExchange exchange) {
        watcher.accept(exchange);
        return next.recordOrWait(exchange);
    }
}
