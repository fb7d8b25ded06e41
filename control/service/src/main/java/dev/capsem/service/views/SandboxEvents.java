package dev.capsem.service.views;

import dev.capsem.service.processes.ProcessConnection;
import dev.capsem.service.processes.ProcessConnector;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.table.Instance;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SandboxChanges;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The events of sandboxes, live, for watchers. A watcher who does not keep up loses events, and is
/// told how many; the sandboxes never wait for it.
public final class SandboxEvents {
    private static final Logger LOG = LoggerFactory.getLogger(SandboxEvents.class);
    private static final int QUEUE_MAX = 1_024;
    /// Tells a client that went away from one to whom nothing happened.
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private final Sandboxes sandboxes;
    private final ProcessConnector connector;
    private final SandboxChanges changes;
    private final Clock clock;

    public SandboxEvents(Sandboxes sandboxes, ProcessConnector connector, SandboxChanges changes, Clock clock) {
        this.sandboxes = sandboxes;
        this.connector = connector;
        this.changes = changes;
        this.clock = clock;
    }

    private record Event(String kind, String json) {}

    /// Writes server-sent events of the sandboxes that are wanted until the sink throws.
    public void watch(Predicate<SandboxId> wanted, Consumer<byte[]> sink) {
        BlockingQueue<Event> queue = new ArrayBlockingQueue<>(QUEUE_MAX);
        AtomicLong lost = new AtomicLong();
        Consumer<Event> offer = event -> {
            if (!queue.offer(event)) {
                lost.incrementAndGet();
            }
        };
        try (TaskScope scope = new TaskScope("events", (_, _) -> {})) {
            SandboxChanges.Listener listener = (sandbox, what) -> {
                if (!wanted.test(sandbox.id())) {
                    return;
                }
                offer.accept(change(sandbox, what));
                if (what.equals("created") || what.equals("resumed") || what.equals("persisted")) {
                    begin(scope, () -> follow(sandbox, offer));
                }
            };
            changes.add(listener);
            try {
                sandboxes.all().stream()
                        .filter(sandbox -> sandbox.status().isLive() && wanted.test(sandbox.id()))
                        .forEach(sandbox -> scope.start(() -> follow(sandbox, offer)));
                pump(queue, lost, sink);
            } finally {
                changes.remove(listener);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// A sandbox that begins must not mind a watcher who just left.
    private static void begin(TaskScope scope, Runnable task) {
        try {
            scope.start(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("a watcher left as a sandbox began", e);
        }
    }

    private static void pump(BlockingQueue<Event> queue, AtomicLong lost, Consumer<byte[]> sink)
            throws InterruptedException {
        sink.accept(": live events\n\n".getBytes(StandardCharsets.UTF_8));
        while (true) {
            Event event = queue.poll(HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
            long missed = lost.getAndSet(0);
            if (missed > 0) {
                sink.accept(format(new Event("lost", Json.text(Json.object().put("count", missed)))));
            }
            sink.accept(event == null ? ": still here\n\n".getBytes(StandardCharsets.UTF_8) : format(event));
        }
    }

    private static byte[] format(Event event) {
        return ("event: " + event.kind + "\ndata: " + event.json + "\n\n").getBytes(StandardCharsets.UTF_8);
    }

    private Event change(Sandbox sandbox, String what) {
        return new Event(
                "sandbox",
                Json.text(Json.object()
                        .put("sandbox", sandbox.id().value())
                        .put("change", what)
                        .put("at_ms", clock.millis())));
    }

    private void follow(Sandbox sandbox, Consumer<Event> offer) {
        Optional<Instance> instance = sandbox.instance();
        if (instance.isEmpty()) {
            return;
        }
        try (ProcessConnection connection = connector.open(instance.get().socket())) {
            connection.send(new ServiceMessage.Subscribe());
            var event = connection.receive(ProcessMessage.Event.class);
            while (event.isPresent()) {
                offer.accept(new Event(event.get().kind(), event.get().json()));
                event = connection.receive(ProcessMessage.Event.class);
            }
        } catch (IpcException e) {
            // It ended; the change that says so comes by the other way.
        }
    }
}
