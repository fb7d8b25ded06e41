package dev.capsem.mcp.backend;

import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.AggregatorReply.Kind;
import dev.capsem.wire.aggregator.Operation;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// Stands in where there is no aggregator: catalogs are empty, calls fail, nothing is reached.
public final class EmptyBackend implements ToolBackend {
    @Override
    public Pending submit(Operation operation, Consumer<AggregatorEvent> onEvent) {
        return new Pending(0, CompletableFuture.completedFuture(answer(operation)));
    }

    @Override
    public void listen(Consumer<AggregatorEvent> onEvent) {}

    static AggregatorReply answer(Operation operation) {
        return switch (operation) {
            case Operation.ListServers _ -> new AggregatorReply.Servers(List.of());
            case Operation.ListTools _ -> empty(Kind.TOOLS);
            case Operation.ListResources _ -> empty(Kind.RESOURCES);
            case Operation.ListTemplates _ -> empty(Kind.TEMPLATES);
            case Operation.ListPrompts _ -> empty(Kind.PROMPTS);
            case Operation.CallTool call -> notAvailable(call.name());
            case Operation.ReadResource read -> notAvailable(read.uri());
            case Operation.GetPrompt get -> notAvailable(get.name());
            case Operation.Subscribe(String uri) -> notAvailable(uri);
            case Operation.Unsubscribe(String uri) -> notAvailable(uri);
            case Operation.Complete _ -> notAvailable("completion");
            case Operation.Refresh _,
                    Operation.Shutdown _,
                    Operation.SetLevel _,
                    Operation.Cancel _,
                    Operation.Answer _,
                    Operation.RootsChanged _ -> new AggregatorReply.Ok();
        };
    }

    static AggregatorReply notAvailable(String what) {
        return AggregatorReply.Failed.of("aggregator not available: " + what);
    }

    private static AggregatorReply empty(Kind kind) {
        return new AggregatorReply.Page(kind, List.of(), Optional.empty());
    }
}
