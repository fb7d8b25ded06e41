package dev.capsem.mcp;

import dev.capsem.events.Admission;
import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.row.McpExecutionEvidence;
import dev.capsem.events.row.McpRow;
import dev.capsem.events.vocabulary.EventType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// Keeps what it is given, and holds its callers to the port's contract.
final class FakeSink implements EventSink {
    final List<RecordedExchange> recorded = new CopyOnWriteArrayList<>();
    volatile boolean isClosed;

    /// Whether nothing new may begin, as on a full disk.
    volatile boolean isFull;

    /// Places that were given and not given back.
    final AtomicInteger places = new AtomicInteger();

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
            throw new IllegalArgumentException("only observations may be offered");
        }
        return recordOrWait(exchange);
    }

    @Override
    public Receipt recordOrWait(RecordedExchange exchange) {
        if (isClosed) {
            return Receipt.REFUSED;
        }
        recorded.add(exchange);
        return Receipt.ACCEPTED;
    }

    List<McpRow> rows() {
        return recorded.stream()
                .flatMap(exchange -> exchange.rows().stream())
                .filter(McpRow.class::isInstance)
                .map(McpRow.class::cast)
                .toList();
    }

    List<McpExecutionEvidence> evidence() {
        return recorded.stream()
                .flatMap(exchange -> exchange.rows().stream())
                .filter(McpExecutionEvidence.class::isInstance)
                .map(McpExecutionEvidence.class::cast)
                .toList();
    }
}
