package dev.capsem.network.metrics;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// The engine's counters, gauges and histograms. Safe for many threads; label values come from fixed sets, never from
/// the guest, so the number of series is bounded.
public final class NetworkMetrics {
    private static final double[] BYTES = {0, 256, 1_024, 4_096, 16_384, 65_536, 1_048_576, 16_777_216, 1_073_741_824};

    /// Hooks look at one chunk at a time: microseconds.
    private static final double[] HOOK_MILLIS = {0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 50};

    private final Map<String, LongAdder> counters = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> gauges = new ConcurrentHashMap<>();
    /// By label values. Each exchange counts in both: the name of a series is put together when somebody asks for it.
    private final Map<Ended, LongAdder> requests = new ConcurrentHashMap<>();

    private final Map<String, LongAdder> decisions = new ConcurrentHashMap<>();
    private final Histogram tlsHandshake = Histogram.ofMillis();
    private final Histogram upstreamDial = Histogram.ofMillis();
    private final Histogram requestBody = new Histogram(BYTES);
    private final Histogram responseBody = new Histogram(BYTES);
    private final Histogram hookMillis = new Histogram(HOOK_MILLIS);
    private final LongAdder parserEvents = new LongAdder();
    private final Map<Hook, LongAdder> hooks =
            new EnumMap<>(Map.of(Hook.INSPECTION, new LongAdder(), Hook.MODEL, new LongAdder()));

    private record Ended(String protocol, String decision) {}

    /// The inspectors of bodies.
    public enum Hook {
        /// Decodes, keeps previews and what rules want to see.
        INSPECTION,
        /// Understands model traffic.
        MODEL
    }

    /// All values at one moment, by series name as in `mitm_requests_total{protocol="h2",decision="allow"}`.
    public record Snapshot(
            Map<String, Long> counters, Map<String, Long> gauges, Map<String, Histogram.Snapshot> histograms) {
        public Snapshot {
            counters = Map.copyOf(counters);
            gauges = Map.copyOf(gauges);
            histograms = Map.copyOf(histograms);
        }
    }

    /// @param protocol `tls`, `http`, `mcp` or `unknown`
    public void connectionOpened(String protocol) {
        count("mitm_connections_total{protocol=\"" + protocol + "\"}");
        gauge("active_connections").increment();
    }

    public void connectionClosed() {
        gauge("active_connections").decrement();
    }

    /// @param protocol `h1` or `h2`
    /// @param decision allowed, denied or error
    public void requestEnded(String protocol, String decision, long requestBytes, long responseBytes) {
        increment(requests, new Ended(protocol, decision));
        requestBody.observe((double) requestBytes);
        responseBody.observe((double) responseBytes);
    }

    /// @param decision allow, ask, block or rewrite
    public void decided(String decision) {
        increment(decisions, decision);
    }

    /// One chunk was looked at.
    public void hookRan(Hook hook, long nanos) {
        Objects.requireNonNull(hooks.get(hook)).increment();
        hookMillis.observe(nanos / 1e6);
    }

    /// A model's answer was understood as so many events.
    public void parsed(long events) {
        parserEvents.add(events);
    }

    public void telemetryDropped() {
        count("telemetry_dropped_total");
    }

    public void tlsHandshake(double millis) {
        tlsHandshake.observe(millis);
    }

    public void upstreamDialed(double millis) {
        upstreamDial.observe(millis);
    }

    public void upstreamOpened() {
        gauge("upstream_pool_size").increment();
    }

    public void upstreamClosed() {
        gauge("upstream_pool_size").decrement();
    }

    /// For the other stages of this module, whose series have names of their own.
    ///
    /// Requires: the name holds nothing that the guest chose.
    public void count(String series) {
        increment(counters, series);
    }

    /// Looks first: making what may be absent takes a lock, and nearly always it is there.
    private static <K> void increment(Map<K, LongAdder> adders, K key) {
        LongAdder known = adders.get(key);
        (known == null ? adders.computeIfAbsent(key, _ -> new LongAdder()) : known).increment();
    }

    public Snapshot snapshot() {
        Map<String, Long> counted = sums(counters);
        requests.forEach((ended, count) -> counted.put(
                "mitm_requests_total{protocol=\"" + ended.protocol() + "\",decision=\"" + ended.decision() + "\"}",
                count.sum()));
        decisions.forEach(
                (decision, count) -> counted.put("policy_decisions_total{decision=\"" + decision + "\"}", count.sum()));
        hooks.forEach((hook, runs) -> counted.put(
                "hook_invocations_total{hook=\"" + hook.name().toLowerCase(Locale.ROOT) + "\"}", runs.sum()));
        counted.put("parser_events_total", parserEvents.sum());
        return new Snapshot(
                counted,
                sums(gauges),
                Map.of(
                        "hook_duration_ms", hookMillis.snapshot(),
                        "tls_handshake_ms", tlsHandshake.snapshot(),
                        "upstream_dial_ms", upstreamDial.snapshot(),
                        "request_body_bytes", requestBody.snapshot(),
                        "response_body_bytes", responseBody.snapshot()));
    }

    private LongAdder gauge(String name) {
        return gauges.computeIfAbsent(name, _ -> new LongAdder());
    }

    private static Map<String, Long> sums(Map<String, LongAdder> adders) {
        Map<String, Long> sums = new TreeMap<>();
        adders.forEach((name, adder) -> sums.put(name, adder.sum()));
        return sums;
    }
}
