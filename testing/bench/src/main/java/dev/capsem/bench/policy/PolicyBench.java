package dev.capsem.bench.policy;

import dev.capsem.policy.Capgate;
import dev.capsem.policy.ir.Policy;
import dev.capsem.source.json.JsonWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Measures reading, compiling and lowering of the worked example, and of one large manifest.
public final class PolicyBench {
    /// Counted, not timed: on a busy machine the compiler threads would not be done after any fixed time.
    private static final int WARM_UP_RUNS = 40_000;

    private static final Duration ROUND = Duration.ofSeconds(2);
    private static final int ROUNDS = 3;
    private static final int LARGE = 10_000;

    private static final String TYPICAL = """
            {"name": "@modelcontextprotocol/server-github", "version": "0.6.2", "tools": [
              {"name": "create_issue", "description": "Create an issue on a GitHub repository",
               "capabilities": ["net:connect:api.github.com:443", "env:inject:GITHUB_PERSONAL_ACCESS_TOKEN"]},
              {"name": "search_code", "description": "Search code in a local checkout",
               "capabilities": ["fs:read:/workspace/**", "net:connect:api.github.com:443"]},
              {"name": "apply_patch", "description": "Apply a code patch to the local checkout",
               "capabilities": ["fs:read,write:/workspace/**"]}]}""";

    private PolicyBench() {}

    public static void main(String[] args) {
        LongSupplier typical = () -> lower(TYPICAL);
        long warmed = 0;
        for (int run = 0; run < WARM_UP_RUNS; run++) {
            warmed += typical.getAsLong();
        }
        System.out.printf(Locale.ROOT, "policy: warmed up on %d characters%n", warmed);
        for (int round = 1; round <= ROUNDS; round++) {
            Rate rate = rate(typical, ROUND);
            System.out.printf(
                    Locale.ROOT,
                    "policy.compile_and_lower round %d: %.0f manifests/s, %.0f per second of one core (budget 20000)%n",
                    round,
                    rate.perSecond(),
                    rate.perCoreSecond());
        }
        String large = large();
        for (int round = 1; round <= ROUNDS; round++) {
            long start = System.nanoTime();
            long size = lower(large);
            System.out.printf(
                    Locale.ROOT,
                    "policy.ten_thousand_capabilities round %d: %.0f ms, %d characters (budget 1000)%n",
                    round,
                    (System.nanoTime() - start) / 1e6,
                    size);
        }
    }

    /// JSON text in, bwrap and docker artifacts as JSON text out; the length keeps the work from being optimised away.
    private static long lower(String manifest) {
        Policy policy = Capgate.compile(manifest);
        long bwrap = JsonWriter.compact(Capgate.lowerToBwrap(policy).toJson()).length();
        long docker = JsonWriter.compact(Capgate.lowerToDocker(policy).toJson()).length();
        return bwrap + docker;
    }

    /// The second figure does not depend on what else the machine does.
    private record Rate(double perSecond, double perCoreSecond) {}

    private static Rate rate(LongSupplier work, Duration duration) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long start = System.nanoTime();
        long coreStart = threads.getCurrentThreadCpuTime();
        long end = start + duration.toNanos();
        long runs = 0;
        long checksum = 0;
        while (System.nanoTime() < end) {
            checksum += work.getAsLong();
            runs++;
        }
        if (checksum == 0) {
            throw new IllegalStateException("nothing was lowered");
        }
        double core = threads.getCurrentThreadCpuTime() - coreStart;
        return new Rate(runs * 1e9 / (System.nanoTime() - start), runs * 1e9 / core);
    }

    private static String large() {
        String capabilities = IntStream.range(0, LARGE)
                .mapToObj(i -> "\"fs:read:/data/part" + i % 100 + "/item" + i + "/**\"")
                .collect(Collectors.joining(","));
        return "{\"name\":\"large\",\"version\":\"1\",\"tools\":[{\"name\":\"t\",\"capabilities\":[" + capabilities
                + "]}]}";
    }
}
