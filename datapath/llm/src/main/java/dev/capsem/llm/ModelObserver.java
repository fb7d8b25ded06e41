package dev.capsem.llm;

import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.traffic.ExchangeObserver;
import dev.capsem.events.traffic.ModelTap;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.llm.price.PriceTable;
import dev.capsem.llm.tool.ToolName;
import dev.capsem.llm.trace.TraceState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/// Recognizes calls of models and reads along with them. One per sandbox, since conversations do not cross sandboxes.
/// Safe for many threads; the taps are not.
public final class ModelObserver implements ExchangeObserver {
    private final ModelRoutes routes;
    private final IdSource ids;
    private final Supplier<PriceTable> prices;
    private final TraceState traces;
    private final Previews previews;
    private final BiConsumer<String, String> unknown;

    /// Records what was said as it was said.
    ///
    /// @param endpoints beside the providers' own domains
    public ModelObserver(List<ModelEndpoint> endpoints, IdSource ids) {
        this(endpoints, ids, UnaryOperator.identity());
    }

    /// @param mask hides secrets in the text that is recorded; rules see the real values all the same
    public ModelObserver(List<ModelEndpoint> endpoints, IdSource ids, UnaryOperator<String> mask) {
        this(endpoints, ids, mask, (provider, kind) -> {});
    }

    /// @param unknown takes the provider and the kind of an event that was not understood, once per kind and call
    public ModelObserver(
            List<ModelEndpoint> endpoints,
            IdSource ids,
            UnaryOperator<String> mask,
            BiConsumer<String, String> unknown) {
        this(endpoints, ids, new TraceState(), mask, unknown);
    }

    /// @param traces of the conversations, also of those before
    public ModelObserver(
            List<ModelEndpoint> endpoints,
            IdSource ids,
            TraceState traces,
            UnaryOperator<String> mask,
            BiConsumer<String, String> unknown) {
        this(new ModelRoutes(endpoints), ids, PriceTable::embedded, traces, new Previews(mask), unknown);
    }

    private ModelObserver(
            ModelRoutes routes,
            IdSource ids,
            Supplier<PriceTable> prices,
            TraceState traces,
            Previews previews,
            BiConsumer<String, String> unknown) {
        this.routes = routes;
        this.ids = ids;
        this.prices = prices;
        this.traces = traces;
        this.previews = previews;
        this.unknown = unknown;
    }

    /// The same with other endpoints; conversations that have begun go on.
    public ModelObserver withEndpoints(List<ModelEndpoint> endpoints) {
        return new ModelObserver(new ModelRoutes(endpoints), ids, prices, traces, previews, unknown);
    }

    /// The call that a model asked for, if this is one; it is found once.
    ///
    /// @param tool as our MCP endpoint knows it
    public Optional<TraceState.ToolCall> toolCall(String tool, Instant now) {
        return toolCall(traces, tool, now);
    }

    /// As [#toolCall(String, Instant)], of conversations that an observer follows.
    public static Optional<TraceState.ToolCall> toolCall(TraceState traces, String tool, Instant now) {
        return traces.claim(name -> new ToolName(name).bare().equals(tool), now);
    }

    @Override
    public Optional<ModelTap> modelCall(SecurityEvent.HttpRequest head) {
        return routes.find(head).map(route -> new CallTap(route, head, ids, traces, prices, previews, unknown));
    }
}
