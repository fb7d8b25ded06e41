package dev.capsem.process.record;

import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.row.Projection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// An event sink that keeps everything, in order.
public final class RecordedEvents implements EventSink {
    private final List<RecordedExchange> all = new CopyOnWriteArrayList<>();

    @Override
    public Receipt offer(RecordedExchange exchange) {
        if (!exchange.event().isDroppable()) {
            throw new IllegalArgumentException("an event that must not be lost was offered as one that may");
        }
        all.add(exchange);
        return Receipt.ACCEPTED;
    }

    @Override
    public Receipt recordOrWait(RecordedExchange exchange) {
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
