package dev.capsem.mcp;

import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.row.McpExecutionEvidence;
import dev.capsem.events.row.McpRow;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Keeps what it is given, and holds its callers to the port's contract.
final class FakeSink implements EventSink {
    final List<RecordedExchange> recorded = new CopyOnWriteArrayList<>();
    volatile boolean isClosed;

    @Override
    public Receipt offer(RecordedExchange exchange) {
        if (!exchange.event().isDroppable()) {
            throw new IllegalArgumentException("only droppable events may be offered");
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
