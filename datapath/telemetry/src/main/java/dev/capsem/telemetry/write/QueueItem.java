package dev.capsem.telemetry.write;

import dev.capsem.events.RecordedExchange;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;

/// An entry in the queue of the writer's thread.
sealed interface QueueItem {
    record Exchange(RecordedExchange value) implements QueueItem {}

    /// Something to do between two batches, when everything handed in before has been stored.
    record Order(Work work, CompletableFuture<Void> done) implements QueueItem {}

    /// Wakes the thread up, so that it notices that it should end.
    record Wake() implements QueueItem {}

    interface Work {
        void run() throws SQLException;
    }
}
