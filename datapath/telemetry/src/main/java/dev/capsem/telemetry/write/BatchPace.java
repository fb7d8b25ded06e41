package dev.capsem.telemetry.write;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Keeps batches apart while events come one after another: each transaction writes the pages that it touched whole,
/// so many small ones cost several times as much as a few larger ones. What comes after a pause is written at once.
/// [#await] is for the writer's thread only.
final class BatchPace {
    private final Duration gap;
    private final Semaphore hurries = new Semaphore(0);
    private long notBeforeNanos = System.nanoTime();

    /// @param gap between the beginnings of two batches, unless somebody hurries
    BatchPace(Duration gap) {
        this.gap = gap;
    }

    /// Somebody waits for the batch, or it has grown large enough. Whoever calls this has put its item into the queue.
    void hurry() {
        hurries.release();
    }

    /// Returns when the next batch may begin.
    void await() throws InterruptedException {
        long left = notBeforeNanos - System.nanoTime();
        if (left > 0) {
            boolean _ = hurries.tryAcquire(left, TimeUnit.NANOSECONDS);
        }
        hurries.drainPermits();
        notBeforeNanos = System.nanoTime() + gap.toNanos();
    }
}
