package dev.capsem.mcp.backend;

import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.aggregator.AggregatorProtocol;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.AggregatorRequest;
import dev.capsem.wire.aggregator.LineSplitter;
import dev.capsem.wire.aggregator.LineSplitter.Cut;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.json.JsonShapeException;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Speaks NDJSON with one aggregator: requests out, replies back by id, in any order. When the aggregator dies, every
/// call that waits fails at once, and so does every later one.
public final class AggregatorClient implements ToolBackend, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AggregatorClient.class);
    /// Requests that wait to be written; when it is full, callers wait.
    private static final int WRITE_QUEUE_MAX = 64;

    private static final Duration QUEUE_RETRY = Duration.ofMillis(50);
    private static final int READ_BYTES = 64 * 1024;

    /// Something for the writer to put on the pipe.
    private sealed interface Outgoing {
        record Line(byte[] bytes) implements Outgoing {}

        /// Streams the definitions: as the first line, or as a refresh under this id.
        record Servers(long refreshId, Definitions definitions) implements Outgoing {}

        record End() implements Outgoing {}
    }

    private record Waiting(CompletableFuture<AggregatorReply> reply, Consumer<AggregatorEvent> onEvent) {}

    private final AggregatorPipes pipes;
    private final Consumer<AggregatorEvent> onEvent;
    private final BlockingQueue<Outgoing> outgoing = new ArrayBlockingQueue<>(WRITE_QUEUE_MAX);
    private final Map<Long, Waiting> waiting = new ConcurrentHashMap<>();
    private final AtomicLong lastId = new AtomicLong();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final CompletableFuture<Void> over = new CompletableFuture<>();

    private AggregatorClient(AggregatorPipes pipes, Consumer<AggregatorEvent> onEvent) {
        this.pipes = pipes;
        this.onEvent = onEvent;
    }

    /// Sends the definitions and begins to listen.
    ///
    /// @param onEvent told what servers say that belongs to no operation; must not hold up its caller
    public static AggregatorClient start(
            AggregatorPipes pipes, Definitions definitions, Consumer<AggregatorEvent> onEvent) {
        AggregatorClient client = new AggregatorClient(pipes, onEvent);
        client.outgoing.add(new Outgoing.Servers(0, definitions));
        // Pipes of a child block their carrier, so these two are threads of the platform.
        Thread.ofPlatform().daemon().name("aggregator-writer").start(client::write);
        Thread.ofPlatform().daemon().name("aggregator-reader").start(client::read);
        return client;
    }

    /// Completes when the aggregator is gone.
    public CompletableFuture<Void> over() {
        return over;
    }

    @Override
    public void listen(Consumer<AggregatorEvent> listener) {
        throw new IllegalStateException("the listener was given at the start");
    }

    @Override
    public Pending submit(Operation operation, Consumer<AggregatorEvent> listener) {
        long id = lastId.incrementAndGet();
        byte[] line = AggregatorProtocol.line(new AggregatorRequest(id, operation));
        if (line.length > AggregatorProtocol.LINE_BYTES_MAX) {
            return new Pending(
                    id,
                    CompletableFuture.completedFuture(AggregatorReply.Failed.of("request too large: " + line.length
                            + " bytes, at most " + AggregatorProtocol.LINE_BYTES_MAX)));
        }
        return enqueue(id, new Outgoing.Line(line), listener);
    }

    /// Replaces the servers; completes when the new ones were tried.
    public CompletableFuture<AggregatorReply> refresh(Definitions definitions) {
        long id = lastId.incrementAndGet();
        return enqueue(id, new Outgoing.Servers(id, definitions), event -> {}).reply();
    }

    private Pending enqueue(long id, Outgoing message, Consumer<AggregatorEvent> listener) {
        Waiting call = new Waiting(new CompletableFuture<>(), listener);
        waiting.put(id, call);
        try {
            while (!isOver.get() && !outgoing.offer(message, QUEUE_RETRY.toMillis(), TimeUnit.MILLISECONDS)) {
                // Full: the caller waits, unless there is nobody left to wait for.
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            fail(id, "interrupted");
        }
        // Whoever ended the connection may have looked through the map before this call was in it.
        if (isOver.get()) {
            fail(id, "gone");
        }
        return new Pending(id, call.reply());
    }

    @Override
    public void close() {
        end();
    }

    // --- writer -------------------------------------------------------------------------------------------------

    private void write() {
        try (OutputStream out = new BufferedOutputStream(pipes.input(), READ_BYTES)) {
            while (true) {
                Outgoing next = outgoing.poll();
                if (next == null) {
                    out.flush();
                    next = outgoing.take();
                }
                switch (next) {
                    case Outgoing.Line(byte[] bytes) -> out.write(bytes);
                    case Outgoing.Servers servers -> writeServers(out, servers);
                    case Outgoing.End _ -> {
                        return;
                    }
                }
                out.write('\n');
            }
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("reason", "write failed").log("aggregator.lost");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            end();
        }
    }

    /// Held for as long as the line is measured: a line over the limit would be skipped at the other end, and nobody
    /// would ever answer.
    private void writeServers(OutputStream out, Outgoing.Servers servers) throws IOException {
        var line = new ByteArrayOutputStream();
        if (servers.refreshId() > 0) {
            line.writeBytes(("{\"id\":" + servers.refreshId() + ",\"method\":\"refresh\",\"params\":{\"servers\":")
                    .getBytes(StandardCharsets.US_ASCII));
            servers.definitions().writeTo(line);
            line.writeBytes("}}".getBytes(StandardCharsets.US_ASCII));
        } else {
            servers.definitions().writeTo(line);
        }
        if (line.size() > AggregatorProtocol.LINE_BYTES_MAX) {
            throw new IOException("the server definitions are larger than one line");
        }
        line.writeTo(out);
    }

    // --- reader -------------------------------------------------------------------------------------------------

    private void read() {
        LineSplitter lines = new LineSplitter(AggregatorProtocol.LINE_BYTES_MAX);
        byte[] chunk = new byte[READ_BYTES];
        try (InputStream in = pipes.output()) {
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                lines.feed(chunk, count, this::received);
            }
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("reason", "read failed").log("aggregator.lost");
        } finally {
            end();
        }
    }

    private void received(Cut cut) {
        switch (cut) {
            case Cut.Line(byte[] line) -> {
                try {
                    switch (AggregatorProtocol.fromAggregator(line)) {
                        case AggregatorProtocol.Line.Reply(long id, AggregatorReply reply) -> complete(id, reply);
                        case AggregatorProtocol.Line.Event(AggregatorEvent event) -> tell(event);
                    }
                } catch (JsonShapeException e) {
                    LOG.atWarn().addKeyValue("reason", e.getMessage()).log("aggregator.line.malformed");
                }
            }
            case Cut.TooLong _ -> LOG.atWarn().log("aggregator.line.too_long");
        }
    }

    private void complete(long id, AggregatorReply reply) {
        Waiting call = waiting.remove(id);
        if (call == null) {
            LOG.atDebug().addKeyValue("id", id).log("aggregator.reply.unknown");
        } else {
            call.reply().complete(reply);
        }
    }

    private void tell(AggregatorEvent event) {
        Waiting call = event.call().isPresent() ? waiting.get(event.call().getAsLong()) : null;
        try {
            if (call != null) {
                call.onEvent().accept(event);
            } else {
                onEvent.accept(event);
            }
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("aggregator.event.failed");
        }
    }

    // --- end ----------------------------------------------------------------------------------------------------

    private void end() {
        if (!isOver.compareAndSet(false, true)) {
            return;
        }
        // The writer may be asleep in front of an empty queue, or callers in front of a full one.
        do {
            outgoing.clear();
        } while (!outgoing.offer(new Outgoing.End()));
        waiting.keySet().forEach(id -> fail(id, "gone"));
        pipes.end().run();
        over.complete(null);
    }

    private void fail(long id, String why) {
        complete(id, AggregatorReply.Failed.of("aggregator not available: " + why));
    }
}
