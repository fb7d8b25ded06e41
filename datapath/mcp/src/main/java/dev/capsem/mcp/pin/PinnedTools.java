package dev.capsem.mcp.pin;

import dev.capsem.exchange.mcp.ToolStanding;
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
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// Holds the backend's tools against their pins. The catalog is looked at when a tool is first asked for and after
/// each announcement that it changed. What cannot be compared is never taken for agreed.
public final class PinnedTools implements ToolTrust {
    private static final int PAGES_MAX = 64;
    /// Of a tool that its server does not list at the moment: an approval is for one call.
    private static final String UNLISTED = "unlisted";

    /// The host's own tools change only with this program.
    private static final String OWN = Namespace.name(ServerDefinition.LOCAL, "");

    private final ToolBackend backend;
    private final InstantSource clock;
    private final Consumer<ToolPins.Review> onReview;
    private final AtomicBoolean isStale = new AtomicBoolean(true);

    /// Guards the two below: a review reads and replaces them.
    private final Object lock = new Object();

    private ToolPins pins;
    private List<ServerStatus> servers = List.of();

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
    public ToolStanding standing(String backendName) {
        if (backendName.startsWith(OWN)) {
            return new ToolStanding.Agreed();
        }
        Optional<String> server = Namespace.splitName(backendName).map(Namespace.Split::server);
        if (server.isEmpty()) {
            return new ToolStanding.Missing();
        }
        ToolStanding first = standing(backendName, server.get());
        if (!(first instanceof ToolStanding.Away)) {
            return first;
        }
        // It may still be connecting for the first time; only calls of its own tools wait for that.
        AggregatorReply _ = backend.submit(new Operation.ListServers(server)).join();
        isStale.set(true);
        return standing(backendName, server.get());
    }

    private ToolStanding standing(String backendName, String server) {
        synchronized (lock) {
            boolean needsLook = isStale.getAndSet(false) || !pins.isListed(backendName);
            // Not the flag: an announcement may set it again at any time.
            if (needsLook && !review()) {
                return new ToolStanding.Away("the list of tools cannot be had");
            }
            Optional<ServerStatus> status = servers.stream()
                    .filter(known -> known.name().equals(server))
                    .findFirst();
            if (status.isPresent() && !status.get().isConnected()) {
                return new ToolStanding.Away("MCP server not running: " + server);
            }
            if (status.isPresent() && status.get().error().isPresent()) {
                return new ToolStanding.Doubtful(UNLISTED, pins.unlisted(backendName));
            }
            return pins.isListed(backendName)
                    ? pins.concern(backendName)
                            .<ToolStanding>map(why -> new ToolStanding.Doubtful(pins.version(backendName), why))
                            .orElseGet(ToolStanding.Agreed::new)
                    : new ToolStanding.Missing();
        }
    }

    @Override
    public List<CatalogEntry> shown(List<CatalogEntry> tools) {
        synchronized (lock) {
            if (isStale.getAndSet(false) || !tools.stream().allMatch(pins::isAsPinned)) {
                boolean _ = review();
            }
            return tools.stream().map(pins::shown).toList();
        }
    }

    @Override
    public void approved(String backendName, String version) {
        synchronized (lock) {
            if (pins.isKnown(backendName) && pins.version(backendName).equals(version)) {
                pins = pins.approve(backendName);
                onReview.accept(new ToolPins.Review(pins, List.of(), List.of()));
            }
        }
    }

    /// What is pinned, after a look at the catalog if it may have changed.
    public ToolPins current() {
        synchronized (lock) {
            if (isStale.getAndSet(false)) {
                boolean _ = review();
            }
            return pins;
        }
    }

    /// Looks at the catalog now. False if it cannot be had; then somebody must look again.
    private boolean review() {
        // The servers first: the tools of one that was there then are in the catalog that comes after.
        Optional<List<ServerStatus>> known =
                backend.submit(new Operation.ListServers()).join()
                                instanceof AggregatorReply.Servers(List<ServerStatus> list)
                        ? Optional.of(list)
                        : Optional.empty();
        Optional<List<CatalogEntry>> catalog = catalog();
        synchronized (lock) {
            if (catalog.isEmpty() || known.isEmpty()) {
                isStale.set(true);
                return false;
            }
            servers = known.get();
            ToolPins.Review review = pins.review(catalog.get(), empty(servers), clock.instant());
            pins = review.pins();
            onReview.accept(review);
            return true;
        }
    }

    /// Servers that were asked for tools and have none.
    private static Set<String> empty(List<ServerStatus> servers) {
        return servers.stream()
                .filter(server -> server.isConnected()
                        && server.toolCount() == 0
                        && server.error().isEmpty()
                        && !server.name().equals(ServerDefinition.LOCAL))
                .map(ServerStatus::name)
                .collect(Collectors.toSet());
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
