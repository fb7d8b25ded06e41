package dev.capsem.service.approvals;

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
final class ApprovalStream {
    private static final int QUEUE_MAX = 512;
    /// Tells a client that went away from one to whom nothing happened.
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private final List<BlockingQueue<String>> watchers = new CopyOnWriteArrayList<>();

    void tell(String kind, ObjectNode data) {
        String event = format(kind, data);
        watchers.forEach(queue -> {
            if (!queue.offer(event)) {
                watchers.remove(queue);
            }
        });
    }

    private static String format(String kind, ObjectNode data) {
        return "event: " + kind + "\ndata: " + Json.text(data) + "\n\n";
    }

    /// Writes server-sent events until the sink throws or the watcher has fallen behind.
    void watch(Supplier<ObjectNode> snapshot, Consumer<byte[]> sink) {
        BlockingQueue<String> queue = new ArrayBlockingQueue<>(QUEUE_MAX);
        watchers.add(queue);
        try {
            sink.accept(bytes(format("snapshot", snapshot.get())));
            while (true) {
                String event = queue.poll(HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
                if (event == null && !watchers.contains(queue)) {
                    return;
                }
                sink.accept(bytes(event == null ? ": still here\n\n" : event));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            watchers.remove(queue);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
