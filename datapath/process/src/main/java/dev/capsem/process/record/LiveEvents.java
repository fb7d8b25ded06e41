package dev.capsem.process.record;

import dev.capsem.events.EventJson;
import dev.capsem.events.RecordedExchange;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/// The watchers of the sandbox. A watcher that does not keep up loses events, counted; it never holds up
/// the sandbox.
public final class LiveEvents implements AutoCloseable {
    /// For each watcher.
    private static final int QUEUE_MAX = 1_024;

    /// @param json one JSON object
    public record LiveEvent(String kind, String json) {}

    public final class Watcher implements AutoCloseable {
        private final BlockingQueue<Optional<LiveEvent>> queue = new ArrayBlockingQueue<>(QUEUE_MAX);
        private final AtomicLong missed = new AtomicLong();

        /// Empty when nothing more will happen.
        public Optional<LiveEvent> next() throws InterruptedException {
            return queue.take();
        }

        /// How many events this watcher lost since it was last asked.
        public long takeMissed() {
            return missed.getAndSet(0);
        }

        private void tell(Optional<LiveEvent> event) {
            if (!queue.offer(event)) {
                missed.incrementAndGet();
            }
        }

        private void end() {
            while (!queue.offer(Optional.empty())) {
                queue.poll();
                missed.incrementAndGet();
            }
        }

        @Override
        public void close() {
            watchers.remove(this);
        }
    }

    private final UnaryOperator<String> clean;
    private final List<Watcher> watchers = new CopyOnWriteArrayList<>();
    private volatile boolean isClosed;

    /// @param clean takes out what nobody is shown; answers the very text if there is nothing
    public LiveEvents(UnaryOperator<String> clean) {
        this.clean = clean;
    }

    public Watcher watch() {
        Watcher watcher = new Watcher();
        watchers.add(watcher);
        if (isClosed) {
            watcher.end();
        }
        return watcher;
    }

    public void publish(RecordedExchange exchange) {
        publish(exchange.event().type().family().wireName(), () -> EventJson.write(exchange));
    }

    /// @param json made only when somebody watches
    public void publish(String kind, Supplier<String> json) {
        if (watchers.isEmpty()) {
            return;
        }
        Optional<LiveEvent> event = Optional.of(new LiveEvent(kind, clean.apply(json.get())));
        watchers.forEach(watcher -> watcher.tell(event));
    }

    /// Tells every watcher that this was all.
    @Override
    public void close() {
        isClosed = true;
        watchers.forEach(Watcher::end);
    }
}
