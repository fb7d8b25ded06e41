package dev.capsem.process.mcp;

import dev.capsem.events.RecordedExchange;
import dev.capsem.events.row.McpRow;
import dev.capsem.events.row.Projection;
import dev.capsem.network.metrics.Histogram;
import dev.capsem.network.metrics.NetworkMetrics;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

/// Counts what the endpoint puts on record, on its way there. Safe for many threads.
final class McpCounts {
    /// Names that a guest makes up do not become series of their own.
    private static final String OTHER = "other";

    private static final Set<String> OURS = Set.of("builtin", "file");

    private final Map<String, LongAdder> calls = new ConcurrentHashMap<>();
    private final Histogram millis = Histogram.ofMillis();
    private final Predicate<String> isServer;

    /// @param isServer whether the profile in force has a server of that name
    McpCounts(Predicate<String> isServer) {
        this.isServer = isServer;
    }

    void count(RecordedExchange exchange) {
        for (Projection row : exchange.rows()) {
            if (row instanceof McpRow call) {
                String name = call.serverName();
                String server = OURS.contains(name) || isServer.test(name) ? name : OTHER;
                calls.computeIfAbsent(
                                "mcp_calls_total{server=\"" + server + "\",decision=\""
                                        + call.decision().wireName() + "\"}",
                                _ -> new LongAdder())
                        .increment();
                millis.observe(call.duration().toNanos() / 1e6);
            }
        }
    }

    /// @param restarts of the aggregator
    NetworkMetrics.Snapshot snapshot(IntSupplier inFlight, IntSupplier restarts) {
        Map<String, Long> counters = new TreeMap<>();
        calls.forEach((series, count) -> counters.put(series, count.sum()));
        counters.put("mcp_aggregator_restarts_total", (long) restarts.getAsInt());
        return new NetworkMetrics.Snapshot(
                counters,
                Map.of("mcp_requests_in_flight", (long) inFlight.getAsInt()),
                Map.of("mcp_call_duration_ms", millis.snapshot()));
    }
}
