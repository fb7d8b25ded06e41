package dev.capsem.backends.aggregator;

import dev.capsem.backends.http.HttpClient;
import dev.capsem.backends.line.EventLog;
import dev.capsem.backends.upstream.McpUpstream;
import dev.capsem.wire.aggregator.AggregatorReply.Kind;
import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.aggregator.ServerDefinition;
import dev.capsem.wire.aggregator.ServerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// The servers of one set of definitions, each connecting by itself. A slow or dead one delays nobody else for longer
/// than the deadline.
final class UpstreamSet {
    /// How long a first list waits for servers that are still connecting: on a loaded host a program takes seconds to
    /// start, while one that is dead says so at once.
    private static final Duration SETTLE_TIMEOUT = Duration.ofSeconds(15);
    /// How long calls under way may go on after their servers were replaced; no call runs longer.
    private static final Duration DRAIN_MAX = Duration.ofSeconds(310);

    private static final Duration FAREWELL = Duration.ofSeconds(2);
    private static final long DRAIN_STEP_MILLIS = 100;

    private final Map<String, McpUpstream> upstreams;
    private final List<ServerStatus> skipped;
    private final CompletableFuture<Void> settled;

    private UpstreamSet(Map<String, McpUpstream> upstreams, List<ServerStatus> skipped) {
        this.upstreams = upstreams;
        this.skipped = skipped;
        this.settled = CompletableFuture.allOf(
                        upstreams.values().stream().map(McpUpstream::triedOnce).toArray(CompletableFuture<?>[]::new))
                .completeOnTimeout(null, SETTLE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        var _ = settled.thenRun(this::announceLatecomers);
    }

    /// Lists were given without them.
    private void announceLatecomers() {
        for (McpUpstream upstream : upstreams.values()) {
            if (!upstream.triedOnce().isDone()) {
                var _ = upstream.triedOnce().thenRun(upstream::announceIfConnected);
            }
        }
    }

    static UpstreamSet none() {
        return new UpstreamSet(Map.of(), List.of());
    }

    /// Begins to connect to all of them at once.
    static UpstreamSet start(
            List<ServerDefinition> definitions, HttpClient http, McpUpstream.Listener listener, EventLog log) {
        Map<String, McpUpstream> upstreams = new LinkedHashMap<>();
        List<ServerStatus> skipped = new ArrayList<>();
        for (ServerDefinition definition : definitions) {
            Optional<String> complaint = definition.complaint();
            if (complaint.isPresent() || upstreams.containsKey(definition.name())) {
                log.warn("server.rejected", "reason", complaint.orElse("a server is defined twice"));
            } else if (definition.isReachable()) {
                upstreams.put(
                        definition.name(),
                        new McpUpstream(definition, http, listener, log, McpUpstream.Handshake.USUAL));
            } else {
                skipped.add(skipped(definition));
            }
        }
        UpstreamSet set = new UpstreamSet(upstreams, skipped);
        set.upstreams
                .values()
                .forEach(upstream -> Thread.ofVirtual()
                        .name("server-" + upstream.definition().name())
                        .start(upstream::run));
        return set;
    }

    /// Waits until every server was tried once, or the deadline.
    void settle() {
        settled.join();
    }

    /// One that is still connecting for the first time is waited for, until the deadline.
    Optional<McpUpstream> server(String name) {
        Optional<McpUpstream> server = Optional.ofNullable(upstreams.get(name));
        server.ifPresent(found -> found.triedOnce()
                .copy()
                .completeOnTimeout(null, SETTLE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .join());
        return server;
    }

    List<McpUpstream> all() {
        return List.copyOf(upstreams.values());
    }

    List<ServerStatus> status() {
        List<ServerStatus> all = new ArrayList<>(skipped);
        upstreams.values().forEach(upstream -> all.add(upstream.status()));
        all.sort(Comparator.comparing(ServerStatus::name));
        return all;
    }

    /// Of all servers, in the order of the names; a name listed twice by one server counts once.
    List<CatalogEntry> catalog(Kind kind) {
        Map<String, CatalogEntry> byKey = new TreeMap<>();
        upstreams
                .values()
                .forEach(upstream -> upstream.catalog(kind).forEach(entry -> byKey.putIfAbsent(entry.key(), entry)));
        return List.copyOf(byKey.values());
    }

    /// Disconnects once no call waits for an answer any more. Blocks.
    void drain() throws InterruptedException {
        long until = System.nanoTime() + DRAIN_MAX.toNanos();
        while (System.nanoTime() < until && all().stream().anyMatch(upstream -> upstream.inFlight() > 0)) {
            Thread.sleep(DRAIN_STEP_MILLIS);
        }
        close();
    }

    /// Waits a moment for servers to hear of it.
    void close() {
        upstreams.values().forEach(McpUpstream::close);
        long until = System.nanoTime() + FAREWELL.toNanos();
        try {
            for (McpUpstream upstream : upstreams.values()) {
                if (!upstream.awaitEnd(Duration.ofNanos(Math.max(0, until - System.nanoTime())))) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ServerStatus skipped(ServerDefinition definition) {
        String why = definition.isUnsupportedStdio()
                ? "it is a program: give it capabilities in the profile ([mcpServers." + definition.name()
                        + ".capsem] capabilities = [...]) and it runs in a sandbox"
                : definition.isEnabled() ? "it has neither a url nor a program" : "disabled";
        return new ServerStatus(
                definition.name(),
                definition.url(),
                definition.isEnabled(),
                definition.source(),
                definition.isUnsupportedStdio(),
                false,
                0,
                0,
                0,
                Optional.of(why));
    }
}
