package dev.capsem.bench.security;

import com.sun.management.ThreadMXBean;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.security.RuleCompiler;
import dev.capsem.security.RuleSnapshot;
import dev.capsem.security.SecurityEngine;
import dev.capsem.source.Layer;
import dev.capsem.source.SourceText;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/// What judging an event costs, by the number of rules: time of the processor and bytes allocated; what the first
/// compilation costs in a JVM that has never seen a rule; what a reload costs while events are judged. Our own
/// loops, not JMH: one process for all parts of the bench, and the processor's time instead of the clock's on a
/// machine that others use.
public final class RulesBench {
    private static final int[] SIZES = {1, 100, 1_000, 10_000};
    private static final int ROUNDS = 7;

    /// Enough for the compiler to be done, and for the clock to be exact.
    private static final long ROUND_NANOS = 150_000_000;

    /// Takes what was measured.
    public interface Figures {
        void add(String name, double value, String unit, Optional<String> budget);
    }

    private final Figures figures;

    /// Keeps the compiler from leaving out work whose outcome nobody reads.
    private long sink;

    private RulesBench(Figures figures) {
        this.figures = figures;
    }

    public static void run(Figures figures) throws InterruptedException {
        RulesBench bench = new RulesBench(figures);
        RuleCompiler compiler = bench.coldStart();
        for (int size : SIZES) {
            bench.measure(compiler, size, true);
            bench.measure(compiler, size, false);
        }
        bench.reload(compiler);
        figures.add("rules: steps seen", (double) bench.sink, "steps", Optional.empty());
    }

    private RuleCompiler coldStart() {
        long start = System.nanoTime();
        RuleCompiler compiler = new RuleCompiler();
        long environment = System.nanoTime();
        SecurityEngine engine = new SecurityEngine(snapshot(compiler, rules(1, true)));
        long compiled = System.nanoTime();
        sink += engine.evaluate(request("miss.example", "/")).steps().size();
        long evaluated = System.nanoTime();
        long thousand = System.nanoTime();
        snapshot(compiler, rules(1_000, true));
        long done = System.nanoTime();
        figures.add("rules: cold, environment of CEL", (environment - start) / 1e6, "ms", Optional.empty());
        figures.add("rules: cold, first rule", (compiled - environment) / 1e6, "ms", Optional.empty());
        figures.add("rules: cold, first event", (evaluated - compiled) / 1e6, "ms", Optional.empty());
        figures.add("rules: cold, 1000 rules after that", (done - thousand) / 1e6, "ms", Optional.empty());
        return compiler;
    }

    private void measure(RuleCompiler compiler, int size, boolean keyed) {
        SecurityEngine engine = new SecurityEngine(snapshot(compiler, rules(size, keyed)));
        String kind = keyed ? "host" : "no key";
        HttpRequest last = request("host" + (size - 1) + ".example", "/api/" + (size - 1) + "/x");
        HttpRequest miss = request("miss.example", "/miss");
        require(engine.evaluate(last).decision() == Decision.BLOCK);
        require(engine.evaluate(miss).decision() == Decision.ALLOW);
        row(size, kind + ", hit", engine, last);
        row(size, kind + ", miss", engine, miss);
    }

    /// Time of the processor, not of the clock: other work on the machine must not count.
    private void row(int size, String kind, SecurityEngine engine, HttpRequest event) {
        double[] nanos = new double[ROUNDS];
        long bytes = 0;
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int round = 0; round < ROUNDS; round++) {
            long count = 0;
            long allocated = threads.getCurrentThreadAllocatedBytes();
            long start = threads.getCurrentThreadCpuTime();
            long end = start;
            while (end - start < ROUND_NANOS) {
                for (int i = 0; i < 100; i++) {
                    sink += engine.evaluate(event).steps().size();
                }
                count += 100;
                end = threads.getCurrentThreadCpuTime();
            }
            nanos[round] = (end - start) / (double) count;
            bytes = (threads.getCurrentThreadAllocatedBytes() - allocated) / count;
        }
        Arrays.sort(nanos);
        double median = nanos[ROUNDS / 2];
        String name = "rules: " + size + ", " + kind;
        figures.add(name, median, "ns/event", budget(size, kind));
        figures.add(name, median / size, "ns/rule", Optional.empty());
        figures.add(name, (double) bytes, "bytes/event", Optional.empty());
    }

    /// New rules every few milliseconds while one thread keeps asking.
    private void reload(RuleCompiler compiler) throws InterruptedException {
        SourceText source = new SourceText("bench", Layer.USER, rules(1_000, true));
        SecurityEngine engine = new SecurityEngine(snapshot(compiler, source.text()));
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong asked = new AtomicLong();
        AtomicLong slowest = new AtomicLong();
        Thread traffic = Thread.ofPlatform().start(() -> {
            HttpRequest event = request("host500.example", "/api/500/x");
            while (!stop.get()) {
                long start = System.nanoTime();
                require(engine.evaluate(event).decision() == Decision.BLOCK);
                slowest.accumulateAndGet(System.nanoTime() - start, Math::max);
                asked.incrementAndGet();
            }
        });
        long start = System.nanoTime();
        int reloads = 0;
        while (System.nanoTime() - start < 3_000_000_000L) {
            engine.replace(snapshot(compiler, source.text()));
            reloads++;
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        stop.set(true);
        traffic.join();
        figures.add("rules: reload of 1000 under traffic", seconds * 1_000 / reloads, "ms", Optional.empty());
        figures.add("rules: events meanwhile", asked.get() / seconds, "events/s", Optional.empty());
        figures.add("rules: slowest event meanwhile", slowest.get() / 1e6, "ms", Optional.empty());
    }

    private static Optional<String> budget(int size, String kind) {
        if (size == 100) {
            return Optional.of("≤ 40000");
        }
        return size == 1_000 && kind.startsWith("host") ? Optional.of("≤ 25000") : Optional.empty();
    }

    /// @param keyed whether each rule names a host, which the index can use
    private static String rules(int count, boolean keyed) {
        StringBuilder toml = new StringBuilder();
        for (int i = 0; i < count; i++) {
            String condition = keyed
                    ? "http.request.host == \"host" + i + ".example\" && http.request.path.startsWith(\"/api\")"
                    : "http.request.url.contains(\"/api/" + i + "/\") && http.request.method == \"GET\"";
            toml.append("[security.rules.http.r")
                    .append(i)
                    .append("]\non = \"http.request\"\nif = '")
                    .append(condition)
                    .append("'\ndecision = \"block\"\n");
        }
        return toml.append("[security.rules.http.z]\non = \"http.request\"\nif = \"true\"\n")
                .append("decision = \"allow\"\npriority = 1000\n")
                .toString();
    }

    private static RuleSnapshot snapshot(RuleCompiler compiler, String toml) {
        return switch (compiler.compile(List.of(new SourceText("bench", Layer.USER, toml)))) {
            case RuleCompiler.Result.Compiled compiled -> compiled.snapshot();
            case RuleCompiler.Result.Rejected rejected ->
                throw new IllegalStateException(rejected.problems().toString());
        };
    }

    private static HttpRequest request(String host, String path) {
        return new HttpRequest(
                Envelope.inline(new EventId("ev-1"), Instant.EPOCH, Attribution.UNKNOWN, Correlation.NONE),
                "GET",
                "https",
                host,
                443,
                path,
                Optional.empty(),
                Headers.of("accept", "*/*", "user-agent", "bench", "authorization", "Bearer x"),
                Body.NONE);
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new IllegalStateException("the bench decides something else than it means to measure");
        }
    }
}
