package dev.capsem.network.dns;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.capsem.network.metrics.Histogram;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// Answers from memory while they are fresh, else from upstream: once, however many ask for the same at the same time.
/// Knows no policy. Safe for many threads.
final class Lookups {
    static final int ENTRIES_MAX = 10_000;
    /// Below it, a client that opens ten connections at once would cause ten queries.
    static final long TTL_SECONDS_MIN = 5;

    static final long TTL_SECONDS_MAX = 3_600;
    static final long NEGATIVE_TTL_SECONDS_MAX = 300;
    /// For a zone that does not say how long its "no" holds.
    static final long NEGATIVE_TTL_SECONDS_DEFAULT = 30;

    private final UpstreamClient upstream;
    private final LongSupplier nanoTime;
    private final LongAdder evictions = new LongAdder();
    private final Cache<Key, Remembered> memory = Caffeine.newBuilder()
            .maximumSize(ENTRIES_MAX)
            .executor(Runnable::run)
            .evictionListener((_, _, _) -> evictions.increment())
            .build();
    private final ConcurrentMap<Key, CompletableFuture<Lookup>> underWay = new ConcurrentHashMap<>();
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final Histogram upstreamMillis = Histogram.ofMillis();

    private record Key(DnsName name, int type) {}

    private record Remembered(Lookup lookup, long atNanos, long lifeNanos) {}

    /// @param nanoTime a clock that never jumps
    Lookups(UpstreamClient upstream, LongSupplier nanoTime) {
        this.upstream = upstream;
        this.nanoTime = nanoTime;
    }

    Lookup lookup(DnsName name, int type) {
        Key key = new Key(name, type);
        Optional<Lookup> remembered = remembered(key);
        if (remembered.isPresent()) {
            return remembered.get();
        }
        CompletableFuture<Lookup> own = new CompletableFuture<>();
        CompletableFuture<Lookup> others = underWay.putIfAbsent(key, own);
        if (others != null) {
            return join(others);
        }
        try {
            // Whoever was under way may have come back since the first look.
            Lookup found = remembered(key).orElseGet(() -> ask(key));
            own.complete(found);
            return found;
        } finally {
            // After a bug of ours nobody must wait for ever.
            own.complete(Lookup.failed(Duration.ZERO));
            underWay.remove(key, own);
        }
    }

    long hits() {
        return hits.sum();
    }

    long misses() {
        return misses.sum();
    }

    long evictions() {
        return evictions.sum();
    }

    Histogram.Snapshot upstreamMillis() {
        return upstreamMillis.snapshot();
    }

    long failures() {
        return failures.sum();
    }

    private Optional<Lookup> remembered(Key key) {
        Remembered entry = memory.getIfPresent(key);
        if (entry == null) {
            return Optional.empty();
        }
        long age = nanoTime.getAsLong() - entry.atNanos();
        if (age >= entry.lifeNanos()) {
            memory.asMap().remove(key, entry);
            return Optional.empty();
        }
        hits.increment();
        return Optional.of(entry.lookup().fromMemory(Duration.ofNanos(age).toSeconds()));
    }

    private Lookup ask(Key key) {
        misses.increment();
        long start = nanoTime.getAsLong();
        Optional<UpstreamMessage> answer = upstream.ask(key.name(), key.type());
        long now = nanoTime.getAsLong();
        Duration elapsed = Duration.ofNanos(now - start);
        upstreamMillis.observe(elapsed.toNanos() / 1e6);
        if (answer.isEmpty()) {
            failures.increment();
            return Lookup.failed(elapsed);
        }
        Lookup found = Lookup.of(answer.get(), elapsed);
        Duration life = Duration.ofSeconds(lifeSeconds(key, found));
        memory.put(key, new Remembered(found, now, life.toNanos()));
        return found;
    }

    private static long lifeSeconds(Key key, Lookup found) {
        if (!found.has(key.type())) {
            long zone = found.negativeTtlSeconds().orElse(NEGATIVE_TTL_SECONDS_DEFAULT);
            return Math.clamp(zone, TTL_SECONDS_MIN, NEGATIVE_TTL_SECONDS_MAX);
        }
        long shortest = found.answers().stream()
                .mapToLong(ResourceRecord::ttlSeconds)
                .min()
                .orElse(0);
        return Math.clamp(shortest, TTL_SECONDS_MIN, TTL_SECONDS_MAX);
    }

    private static Lookup join(CompletableFuture<Lookup> others) {
        try {
            return others.join();
        } catch (CompletionException e) {
            throw new IllegalStateException("a lookup never completes exceptionally", e);
        }
    }
}
