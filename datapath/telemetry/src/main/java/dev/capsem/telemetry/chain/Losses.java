package dev.capsem.telemetry.chain;

import dev.capsem.events.vocabulary.EventType;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Events dropped because the queue was full, by type: in all, and since the chain last admitted to them. Safe for
/// many threads.
public final class Losses {
    /// Of losses whose kinds nobody counted.
    private static final String UNNAMED = "unknown";

    private static final Pattern KIND = Pattern.compile("([^ =]+)=(\\d{1,18})");

    private final Map<EventType, AtomicLong> all = zeros();
    private final Map<EventType, AtomicLong> unadmitted = zeros();

    public void add(EventType type) {
        increase(all, type, 1);
        increase(unadmitted, type, 1);
    }

    public Map<EventType, Long> all() {
        return counts(all, AtomicLong::get);
    }

    /// Takes what must still be admitted to; [#giveBack] when that failed.
    public Map<EventType, Long> take() {
        return counts(unadmitted, count -> count.getAndSet(0));
    }

    public void giveBack(Map<EventType, Long> counts) {
        counts.forEach((type, count) -> increase(unadmitted, type, count));
    }

    private static void increase(Map<EventType, AtomicLong> counts, EventType type, long amount) {
        Objects.requireNonNull(counts.get(type)).addAndGet(amount);
    }

    /// For `event_chain.gap_detail`: `http.request=3 dns.request=1`.
    public static String detail(Map<EventType, Long> counts) {
        return counts.entrySet().stream()
                .map(entry -> entry.getKey().wireName() + "=" + entry.getValue())
                .collect(Collectors.joining(" "));
    }

    /// The other way round: what a link that admits to `total` losses says of their kinds.
    static Map<String, Long> counts(String detail, long total) {
        Map<String, Long> counts = new TreeMap<>();
        Matcher each = KIND.matcher(detail);
        while (each.find()) {
            counts.merge(each.group(1), Long.parseLong(each.group(2)), Long::sum);
        }
        long unnamed =
                total - counts.values().stream().mapToLong(Long::longValue).sum();
        if (unnamed > 0) {
            counts.merge(UNNAMED, unnamed, Long::sum);
        }
        return counts;
    }

    private static Map<EventType, Long> counts(Map<EventType, AtomicLong> source, ToLongFunction<AtomicLong> read) {
        Map<EventType, Long> counts = new EnumMap<>(EventType.class);
        source.forEach((type, counter) -> {
            long count = read.applyAsLong(counter);
            if (count > 0) {
                counts.put(type, count);
            }
        });
        return counts;
    }

    private static Map<EventType, AtomicLong> zeros() {
        Map<EventType, AtomicLong> zeros = new EnumMap<>(EventType.class);
        for (EventType type : EventType.values()) {
            zeros.put(type, new AtomicLong());
        }
        return Map.copyOf(zeros);
    }
}
