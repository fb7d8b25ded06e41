package dev.capsem.bench.security;

import com.sun.management.ThreadMXBean;
import dev.capsem.events.Correlation;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.security.RuleCompiler;
import dev.capsem.security.RuleSnapshot;
import dev.capsem.security.SecurityEngine;
import dev.capsem.security.rule.Layer;
import dev.capsem.security.rule.RuleSource;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/// `java -cp … dev.capsem.bench.security.RulesBench`
public final class RulesBench {
    private static final int[] SIZES = {1, 100, 1_000, 10_000};
    private static final int ROUNDS = 7;

    /// Enough for the compiler to be done, and for the clock to be exact.
    private static final long ROUND_NANOS = 150_000_000;

    private final PrintStream out;
    private long sink;

    private RulesBench(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) throws InterruptedException {
        RulesBench bench = new RulesBench(System.out);
        RuleCompiler compiler = bench.coldStart();
        bench.out.println("| rules | kind | ns/event | ns/rule | bytes/event |");
        bench.out.println("|---|---|---|---|---|");
        for (int size : SIZES) {
            bench.measure(compiler, size, true);
            bench.measure(compiler, size, false);
        }
        bench.reload(compiler);
        bench.out.println("checksum " + bench.sink);
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
        out.printf(
                Locale.ROOT,
                "cold: environment %d ms, first rule %d ms, first event %.1f ms, 1000 rules %d ms%n",
                (environment - start) / 1_000_000,
                (compiled - environment) / 1_000_000,
                (evaluated - compiled) / 1e6,
                (System.nanoTime() - thousand) / 1_000_000);
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
        out.printf(Locale.ROOT, "| %d | %s | %.0f | %.2f | %d |%n", size, kind, median, median / size, bytes);
    }

    /// New rules every few milliseconds while one thread keeps asking.
    private void reload(RuleCompiler compiler) throws InterruptedException {
        RuleSource source = new RuleSource("bench", Layer.PROFILE, rules(1_000, true));
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
        out.printf(
                Locale.ROOT,
                "reload of 1000 rules under traffic: %.0f ms each, %.0f events/s meanwhile, slowest event %.2f ms%n",
                seconds * 1_000 / reloads,
                asked.get() / seconds,
                slowest.get() / 1e6);
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
        return switch (compiler.compile(List.of(new RuleSource("bench", Layer.PROFILE, toml)))) {
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
