package dev.capsem.mcp.backend;

import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.json.JsonTexts;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// A backend before another: what servers say passes through it, so that rules, the record and the guest see it clean.
public final class CleanBackend implements ToolBackend {
    private final ToolBackend next;
    private final UnaryOperator<String> clean;

    /// @param clean takes out what the guest must not see; answers the very text if there is nothing
    public CleanBackend(ToolBackend next, UnaryOperator<String> clean) {
        this.next = next;
        this.clean = clean;
    }

    @Override
    public Pending submit(Operation operation, Consumer<AggregatorEvent> onEvent) {
        Pending pending = next.submit(operation, event -> onEvent.accept(cleaned(event)));
        CompletableFuture<AggregatorReply> reply = pending.reply().thenApply(this::cleaned);
        return new Pending(pending.id(), reply);
    }

    @Override
    public void listen(Consumer<AggregatorEvent> onEvent) {
        next.listen(event -> onEvent.accept(cleaned(event)));
    }

    private AggregatorEvent cleaned(AggregatorEvent event) {
        Optional<ObjectNode> params = event.params().map(this::cleaned);
        return switch (event) {
            case AggregatorEvent.ServerNotification said ->
                new AggregatorEvent.ServerNotification(said.server(), said.call(), said.method(), params);
            case AggregatorEvent.ServerRequest asked ->
                new AggregatorEvent.ServerRequest(asked.server(), asked.call(), asked.token(), asked.method(), params);
        };
    }

    private AggregatorReply cleaned(AggregatorReply reply) {
        return switch (reply) {
            case AggregatorReply.Result(ObjectNode result) -> new AggregatorReply.Result(cleaned(result));
            case AggregatorReply.Failed(String error, var code, Optional<JsonNode> data) ->
                new AggregatorReply.Failed(clean.apply(error), code, data.map(tree -> JsonTexts.changed(tree, clean)));
            case AggregatorReply.Page(var kind, var entries, Optional<String> cursor) ->
                new AggregatorReply.Page(
                        kind, entries.stream().map(this::cleaned).toList(), cursor);
            case AggregatorReply.Servers _, AggregatorReply.Ok _ -> reply;
        };
    }

    /// Its name stays: that is how it is called.
    private CatalogEntry cleaned(CatalogEntry entry) {
        return new CatalogEntry(
                entry.kind(), entry.server(), entry.key(), entry.original(), cleaned(entry.definition()));
    }

    private ObjectNode cleaned(ObjectNode tree) {
        return JsonTexts.changed(tree, clean);
    }
}
