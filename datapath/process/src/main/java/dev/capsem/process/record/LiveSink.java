package dev.capsem.process.record;

import dev.capsem.events.Admission;
import dev.capsem.events.EventJson;
import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.vocabulary.EventType;
import java.util.concurrent.CompletableFuture;

/// An event sink before another: shows what passes to whoever watches.
public final class LiveSink implements EventSink {
    private final EventSink sink;
    private final LiveEvents live;

    public LiveSink(EventSink sink, LiveEvents live) {
        this.sink = sink;
        this.live = live;
    }

    @Override
    public CompletableFuture<Admission> admit(EventType kind) {
        return sink.admit(kind);
    }

    @Override
    public Admission admitNow(EventType kind) {
        return sink.admitNow(kind);
    }

    @Override
    public Receipt record(RecordedExchange exchange, Admission.Place place) {
        publish(exchange);
        return sink.record(exchange, place);
    }

    @Override
    public Receipt note(RecordedExchange exchange) {
        publish(exchange);
        return sink.note(exchange);
    }

    @Override
    public Receipt offer(RecordedExchange exchange) {
        publish(exchange);
        return sink.offer(exchange);
    }

    @Override
    public Receipt recordOrWait(RecordedExchange exchange) {
        publish(exchange);
        return sink.recordOrWait(exchange);
    }

    private void publish(RecordedExchange exchange) {
        live.publish(exchange.event().type().family().wireName(), () -> EventJson.write(exchange));
    }
}
