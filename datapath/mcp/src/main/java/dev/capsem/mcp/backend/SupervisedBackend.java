package dev.capsem.mcp.backend;

import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.Operation;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps an aggregator running for as long as the sandbox lives. While there is none, catalogs are empty and calls fail
/// at once; the sandbox notices nothing else.
public final class SupervisedBackend implements ToolBackend, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SupervisedBackend.class);
    /// Doubles with each failure, back to the first when a run lasted [#STABLE_AFTER].
    private static final Duration BACK_OFF_MIN = Duration.ofMillis(200);

    private static final Duration BACK_OFF_MAX = Duration.ofSeconds(30);
    private static final Duration STABLE_AFTER = Duration.ofMinutes(1);
    /// How long an orderly end may take before the process is ended.
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    private final AggregatorLauncher launcher;
    private final Definitions definitions;
    private final AtomicReference<@Nullable AggregatorClient> current = new AtomicReference<>();
    private final List<Consumer<AggregatorEvent>> listeners = new CopyOnWriteArrayList<>();
    private final CountDownLatch closing = new CountDownLatch(1);

    /// @param definitions read at every start, so that a restart sees the newest
    public SupervisedBackend(AggregatorLauncher launcher, Definitions definitions) {
        this.launcher = launcher;
        this.definitions = definitions;
    }

    /// Keeps one running until [#close]. Blocks; give it a thread of its own.
    public void run() throws InterruptedException {
        Duration backOff = BACK_OFF_MIN;
        while (closing.getCount() > 0) {
            long startedAt = System.nanoTime();
            Optional<AggregatorPipes> pipes;
            try {
                pipes = launcher.launch();
                if (pipes.isEmpty()) {
                    LOG.atWarn().log("aggregator.missing");
                    return;
                }
                serve(pipes.get());
            } catch (IOException e) {
                LOG.atWarn().addKeyValue("reason", e.getMessage()).log("aggregator.start.failed");
            }
            boolean wasStable = System.nanoTime() - startedAt > STABLE_AFTER.toNanos();
            backOff = wasStable ? BACK_OFF_MIN : backOff;
            if (closing.await(backOff.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
            backOff = backOff.multipliedBy(2).compareTo(BACK_OFF_MAX) > 0 ? BACK_OFF_MAX : backOff.multipliedBy(2);
        }
    }

    private void serve(AggregatorPipes pipes) {
        AggregatorClient client = AggregatorClient.start(pipes, definitions, this::tell);
        current.set(client);
        if (closing.getCount() == 0) {
            client.close();
        }
        announce();
        client.over().join();
        current.compareAndSet(client, null);
        announce();
    }

    /// What was listed before no longer holds.
    private void announce() {
        for (String kind : List.of("tools", "resources", "prompts")) {
            tell(new AggregatorEvent.ServerNotification(
                    "", OptionalLong.empty(), "notifications/" + kind + "/list_changed", Optional.empty()));
        }
    }

    @Override
    public Pending submit(Operation operation, Consumer<AggregatorEvent> onEvent) {
        AggregatorClient client = current.get();
        return client == null
                ? new Pending(0, CompletableFuture.completedFuture(EmptyBackend.answer(operation)))
                : client.submit(operation, onEvent);
    }

    /// Hands the newest definitions to the running aggregator; one that starts later reads them by itself.
    public CompletableFuture<AggregatorReply> refresh() {
        AggregatorClient client = current.get();
        return client == null
                ? CompletableFuture.completedFuture(new AggregatorReply.Ok())
                : client.refresh(definitions);
    }

    @Override
    public void listen(Consumer<AggregatorEvent> onEvent) {
        listeners.add(onEvent);
    }

    private void tell(AggregatorEvent event) {
        listeners.forEach(listener -> listener.accept(event));
    }

    /// Asks it to end, and ends it if it does not.
    @Override
    public void close() {
        closing.countDown();
        AggregatorClient client = current.get();
        if (client != null) {
            client.submit(new Operation.Shutdown())
                    .completeOnTimeout(new AggregatorReply.Ok(), FAREWELL.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
            client.close();
        }
    }
}
