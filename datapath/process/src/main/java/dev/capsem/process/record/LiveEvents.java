package dev.capsem.process.record;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/// Whoever watches the sandbox live. A watcher that does not keep up loses events, counted; it never holds up the
/// sandbox.
public final class LiveEvents {
    /// For each watcher.
    private static final int QUEUE_MAX = 1_024;

    /// @param json one JSON object
    public record LiveEvent(String kind, String json) {}

    public final class Watcher implements AutoCloseable {
        private final BlockingQueue<LiveEvent> queue = new ArrayBlockingQueue<>(QUEUE_MAX);
        private final AtomicLong missed = new AtomicLong();

        public LiveEvent next() throws InterruptedException {
            return queue.take();
        }

        /// How many events this watcher lost since it was last asked.
        public long takeMissed() {
            return missed.getAndSet(0);
        }

        @Override
        public void close() {
            watchers.remove(this);
        }
    }

    private final List<Watcher> watchers = new CopyOnWriteArrayList<>();

    public Watcher watch() {
        Watcher watcher = new Watcher();
        watchers.add(watcher);
        return watcher;
    }

    /// @param json made only when somebody watches
    public void publish(String kind, Supplier<String> json) {
        if (watchers.isEmpty()) {
            return;
        }
        LiveEvent event = new LiveEvent(kind, json.get());
        for (Watcher watcher : watchers) {
            if (!watcher.queue.offer(event)) {
                watcher.missed.incrementAndGet();
            }
        }
    }
}
