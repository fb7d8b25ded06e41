package dev.capsem.events;

import dev.capsem.events.row.Projection;
import java.util.List;

/// A resolved event with the rows that tell what it was about: stored together or not at all, the event first. No
/// row is stored without an event, so that the hash chain covers everything; what has no event of its own (files
/// seen changing) travels in bulk under one observed event.
public record RecordedExchange(ResolvedEvent event, List<Projection> rows) {
    /// The most rows one exchange may carry; a producer with more splits them. As large as one batch of the writer.
    public static final int ROWS_MAX = 1_024;

    public RecordedExchange {
        rows = List.copyOf(rows);
        if (rows.size() > ROWS_MAX) {
            throw new IllegalArgumentException("an exchange carries at most " + ROWS_MAX + " rows");
        }
    }

    public static RecordedExchange of(ResolvedEvent event, Projection... rows) {
        return new RecordedExchange(event, List.of(rows));
    }
}
