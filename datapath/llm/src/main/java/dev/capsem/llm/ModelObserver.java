package dev.capsem.llm;

import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.traffic.ExchangeObserver;
import dev.capsem.events.traffic.ModelTap;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.llm.price.PriceTable;
import dev.capsem.llm.trace.TraceState;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// Recognizes calls of models and reads along with them. One per sandbox, since conversations do not cross sandboxes.
/// Safe for many threads; the taps are not.
public final class ModelObserver implements ExchangeObserver {
    private final ModelRoutes routes;
    private final IdSource ids;
    private final Supplier<PriceTable> prices;
    private final TraceState traces = new TraceState();

    /// @param endpoints beside the providers' own domains
    public ModelObserver(List<ModelEndpoint> endpoints, IdSource ids) {
        this(endpoints, ids, PriceTable::embedded);
    }

    /// @param prices asked for when the first call is priced
    public ModelObserver(List<ModelEndpoint> endpoints, IdSource ids, Supplier<PriceTable> prices) {
        this.routes = new ModelRoutes(endpoints);
        this.ids = ids;
        this.prices = prices;
    }

    @Override
    public Optional<ModelTap> modelCall(SecurityEvent.HttpRequest head) {
        return routes.find(head).map(route -> new CallTap(route, head, ids, traces, prices));
    }
}
