package dev.capsem.mcp.backend;

import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.Operation;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// The port behind which MCP servers live. Safe for many threads.
public interface ToolBackend {
    /// Its result may still be on its way.
    ///
    /// @param id names this operation in a later [Operation.Cancel]
    /// @param reply completes, at the latest when the backend dies, and never exceptionally
    record Pending(long id, CompletableFuture<AggregatorReply> reply) {}

    /// Returns at once unless too many operations wait to be written.
    ///
    /// @param onEvent told what servers say in the course of this operation, on a thread that it must not hold up,
    ///     and never after `reply` has completed
    Pending submit(Operation operation, Consumer<AggregatorEvent> onEvent);

    /// @param onEvent told what servers say that belongs to no operation, likewise
    void listen(Consumer<AggregatorEvent> onEvent);

    default CompletableFuture<AggregatorReply> submit(Operation operation) {
        return submit(operation, event -> {}).reply();
    }

    /// For operations whose outcome changes nothing for the caller.
    default void tell(Operation operation) {
        Pending _ = submit(operation, event -> {});
    }
}
