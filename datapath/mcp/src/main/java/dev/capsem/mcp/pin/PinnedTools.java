package dev.capsem.mcp.pin;

import dev.capsem.mcp.backend.ToolBackend;
import dev.capsem.mcp.record.ToolTrust;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.aggregator.Namespace;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.aggregator.ServerDefinition;
import dev.capsem.wire.aggregator.ServerStatus;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// Holds the backend's tools against their pins. The catalog is looked at when a tool is first asked for and after
/// every announcement that it changed.
public final class PinnedTools implements ToolTrust {
    private static final int PAGES_MAX = 64;
    /// The host's own tools change only with this program.
    private static final String OWN = Namespace.name(ServerDefinition.LOCAL, "");

    private final ToolBackend backend;
    private final InstantSource clock;
    private final Consumer<ToolPins.Review> onReview;
    private final AtomicBoolean isStale = new AtomicBoolean(true);

    /// Guards `pins`: a review reads and replaces them.
    private final Object lock = new Object();

    private ToolPins pins;

    /// @param onReview told of every review and approval, to keep the pins and report what was found
    public PinnedTools(ToolBackend backend, ToolPins pins, InstantSource clock, Consumer<ToolPins.Review> onReview) {
        this.backend = backend;
        this.pins = pins;
        this.clock = clock;
        this.onReview = onReview;
        backend.listen(event -> {
            if (event.method().equals("notifications/tools/list_changed")) {
                isStale.set(true);
            }
        });
    }

    @Override
    public Optional<String> concern(String backendName) {
        if (backendName.startsWith(OWN)) {
            return Optional.empty();
        }
        synchronized (lock) {
            if (isStale.getAndSet(false) || !pins.isKnown(backendName)) {
                review();
            }
            return pins.concern(backendName);
        }
    }

    /// A server that is away may have it; nobody can tell.
    @Override
    public boolean isMissing(String backendName) {
        if (backendName.startsWith(OWN)) {
            return false;
        }
        synchronized (lock) {
            if (isStale.getAndSet(false) || !pins.isListed(backendName)) {
                review();
            }
            if (isStale.get() || pins.isListed(backendName)) {
                return false;
            }
        }
        return Namespace.splitName(backendName)
                .filter(name -> !isAway(name.server()))
                .isPresent();
    }

    private boolean isAway(String server) {
        return !(backend.submit(new Operation.ListServers()).join()
                        instanceof AggregatorReply.Servers(List<ServerStatus> servers))
                || servers.stream().anyMatch(known -> known.name().equals(server) && !known.isConnected());
    }

    @Override
    public void approved(String backendName) {
        synchronized (lock) {
            pins = pins.approve(backendName);
            onReview.accept(new ToolPins.Review(pins, List.of(), List.of()));
        }
    }

    /// What is pinned, after a look at the catalog if it may have changed.
    public ToolPins current() {
        synchronized (lock) {
            if (isStale.getAndSet(false)) {
                review();
            }
            return pins;
        }
    }

    /// Looks at the catalog now.
    public void review() {
        Optional<List<CatalogEntry>> catalog = catalog();
        synchronized (lock) {
            if (catalog.isEmpty()) {
                isStale.set(true);
                return;
            }
            ToolPins.Review review = pins.review(catalog.get(), clock.instant());
            pins = review.pins();
            onReview.accept(review);
        }
    }

    /// All tools that the backend's servers offer; empty if it does not say.
    public Optional<List<CatalogEntry>> catalog() {
        List<CatalogEntry> entries = new ArrayList<>();
        Optional<String> cursor = Optional.empty();
        for (int page = 0; page < PAGES_MAX; page++) {
            if (!(backend.submit(new Operation.ListTools(cursor)).join()
                    instanceof AggregatorReply.Page(var _, List<CatalogEntry> some, Optional<String> next))) {
                return Optional.empty();
            }
            entries.addAll(some);
            if (next.isEmpty()) {
                return Optional.of(entries);
            }
            cursor = next;
        }
        return Optional.empty();
    }
}
