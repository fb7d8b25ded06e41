package dev.capsem.process.network;

import dev.capsem.network.dns.DnsCounts;
import dev.capsem.network.metrics.Histogram;
import dev.capsem.network.metrics.NetworkMetrics;
import dev.capsem.wire.json.Json;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// What one sandbox's process counts, as it travels to the service: `{"counters": {series: n}, "gauges": {series: n},
/// "histograms": {name: {"buckets": [[bound, n], …], "count": n, "sum": n}}}`. Buckets count those below them as well;
/// the last one, which holds all, is left out.
public final class MetricsJson {
    private MetricsJson() {}

    /// @param counts empty until the engines are there
    /// @param mcp what the MCP endpoint counts
    /// @param dropped events that could not be recorded
    /// @param busy CPU time of this process in `uptime`
    public static ObjectNode of(
            Optional<NetworkCounts> counts, NetworkMetrics.Snapshot mcp, long dropped, Duration busy, Duration uptime) {
        ObjectNode json = Json.object();
        ObjectNode counters = json.putObject("counters");
        ObjectNode gauges = json.putObject("gauges");
        ObjectNode histograms = json.putObject("histograms");
        counts.ifPresent(there -> {
            add(there.network(), json);
            dns(there.dns(), counters);
            histograms.set("dns_handle_duration_ms", histogram(there.dns().handleMillis()));
            histograms.set("dns_upstream_duration_ms", histogram(there.dns().upstreamMillis()));
        });
        add(mcp, json);
        // The writer sees every loss, the engine only its own.
        counters.put("telemetry_dropped_total", dropped);
        gauges.put("runtime_busy_ratio", busy.toMillis() / (double) Math.max(1, uptime.toMillis()));
        return json;
    }

    private static void add(NetworkMetrics.Snapshot snapshot, ObjectNode json) {
        snapshot.counters().forEach(json.withObject("counters")::put);
        snapshot.gauges().forEach(json.withObject("gauges")::put);
        snapshot.histograms()
                .forEach((name, values) -> json.withObject("histograms").set(name, histogram(values)));
    }

    private static void dns(DnsCounts dns, ObjectNode counters) {
        counters.put("dns_queries_total{decision=\"allowed\"}", dns.allowed())
                .put("dns_queries_total{decision=\"denied\"}", dns.denied())
                .put("dns_queries_total{decision=\"redirected\"}", dns.redirected())
                .put("dns_queries_total{decision=\"error\"}", dns.errors())
                .put("dns_cache_hits_total", dns.cacheHits())
                .put("dns_cache_misses_total", dns.cacheMisses())
                .put("dns_cache_evictions_total", dns.cacheEvictions())
                .put("dns_upstream_failures_total", dns.upstreamFailures());
    }

    private static ObjectNode histogram(Histogram.Snapshot values) {
        ObjectNode json = Json.object();
        ArrayNode buckets = json.putArray("buckets");
        for (Histogram.Bucket bucket : values.buckets()) {
            if (Double.isFinite(bucket.bound())) {
                buckets.addArray().add(bucket.bound()).add(bucket.count());
            }
        }
        return json.put("count", values.count()).put("sum", values.sum());
    }
}
