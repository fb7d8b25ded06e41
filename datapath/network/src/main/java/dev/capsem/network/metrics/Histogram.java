package dev.capsem.network.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/// Counts values by size. Safe for many threads.
public final class Histogram {
    /// How many values were at most `bound`; the last bound is `Double.POSITIVE_INFINITY`.
    public record Bucket(double bound, long count) {}

    /// @param buckets each counting those below it as well
    public record Snapshot(List<Bucket> buckets, long count, double sum) {
        public Snapshot {
            buckets = List.copyOf(buckets);
        }
    }

    private final double[] bounds;
    private final LongAdder[] counts;
    /// In thousandths, so that an adder of whole numbers can hold it.
    private final LongAdder sum = new LongAdder();

    /// For times, from half a millisecond to ten seconds.
    public static Histogram ofMillis() {
        return new Histogram(0.5, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000, 10_000);
    }

    Histogram(double... bounds) {
        this.bounds = bounds.clone();
        this.counts = new LongAdder[bounds.length + 1];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    public void observe(double value) {
        int place = 0;
        while (place < bounds.length && value > bounds[place]) {
            place++;
        }
        counts[place].increment();
        sum.add(Math.round(value * 1_000));
    }

    public Snapshot snapshot() {
        List<Bucket> buckets = new ArrayList<>(counts.length);
        long below = 0;
        for (int i = 0; i < counts.length; i++) {
            below += counts[i].sum();
            buckets.add(new Bucket(i < bounds.length ? bounds[i] : Double.POSITIVE_INFINITY, below));
        }
        return new Snapshot(buckets, below, sum.sum() / 1_000.0);
    }
}
