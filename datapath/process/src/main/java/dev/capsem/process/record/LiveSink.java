package dev.capsem.process.record;

import dev.capsem.events.EventJson;
import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;

/// An event sink before another: shows what passes to whoever watches.
public final class LiveSink implements EventSink {
    private final EventSink sink;
    private final LiveEvents live;

    public LiveSink(EventSink sink, LiveEvents live) {
        this.sink = sink;
        this.live = live;
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
