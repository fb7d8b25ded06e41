package dev.capsem.service.approvals;

import dev.capsem.service.table.Sandbox;
import dev.capsem.wire.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import tools.jackson.databind.node.ObjectNode;

/// Tells whoever watches what is asked and what became of it. A watcher that does not keep up is cut off: on its next
/// connection it gets everything anew.
final class ApprovalEvents {
    private static final int QUEUE_MAX = 512;
    /// Tells a client that went away from one to whom nothing happened. Short: while it counts as there, questions wait
    /// for it.
    private static final Duration HEARTBEAT = Duration.ofSeconds(5);

    private final List<Watcher> watchers = new CopyOnWriteArrayList<>();
    private final Runnable onLeft;

    private static final class Watcher {
        final Watch watch;
        final BlockingQueue<String> events = new ArrayBlockingQueue<>(QUEUE_MAX);

        Watcher(Watch watch) {
            this.watch = watch;
        }
    }

    /// @param onLeft told when somebody who could answer has left
    ApprovalEvents(Runnable onLeft) {
        this.onLeft = onLeft;
    }

    /// Whether somebody is there who can answer what this sandbox asks.
    boolean isWatched(Sandbox asking) {
        return watchers.stream().anyMatch(watcher -> watcher.watch.answers() && watcher.watch.covers(asking));
    }

    void tell(Sandbox asking, String kind, ObjectNode data) {
        String event = format(kind, data);
        watchers.stream()
                .filter(watcher -> watcher.watch.covers(asking))
                .filter(watcher -> !watcher.events.offer(event))
                .forEach(this::leave);
    }

    private static String format(String kind, ObjectNode data) {
        return "event: " + kind + "\ndata: " + Json.text(data) + "\n\n";
    }

    /// Writes server-sent events until the sink throws or the watcher has fallen behind. It counts as there before the
    /// snapshot is written.
    void watch(Watch watch, Supplier<ObjectNode> snapshot, Consumer<byte[]> sink) {
        Watcher watcher = new Watcher(watch);
        watchers.add(watcher);
        try {
            sink.accept(bytes(format("snapshot", snapshot.get())));
            while (true) {
                String event = watcher.events.poll(HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
                if (event == null && !watchers.contains(watcher)) {
                    return;
                }
                sink.accept(bytes(event == null ? ": still here\n\n" : event));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            leave(watcher);
        }
    }

    private void leave(Watcher watcher) {
        if (watchers.remove(watcher) && watcher.watch.answers()) {
            onLeft.run();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
