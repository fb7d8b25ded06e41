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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps an aggregator running for as long as the sandbox lives. What comes before its first start waits for
/// it; while it is started again, everything fails at once; if there is no such program, catalogs are empty and
/// calls fail.
public final class SupervisedBackend implements ToolBackend, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SupervisedBackend.class);
    /// Doubles with each failure, back to the first when a run lasted [#STABLE_AFTER].
    private static final Duration BACK_OFF_MIN = Duration.ofMillis(200);

    private static final Duration BACK_OFF_MAX = Duration.ofSeconds(30);
    /// How long operations wait for the first start, on a loaded host.
    private static final Duration FIRST_START_MAX = Duration.ofSeconds(30);

    private static final Duration STABLE_AFTER = Duration.ofMinutes(1);
    /// How long an orderly end may take before the process is ended.
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    private sealed interface State {
        record Up(AggregatorClient client) implements State {}

        record Down() implements State {}

        /// There is nothing to start.
        record Missing() implements State {}
    }

    private final AggregatorLauncher launcher;
    private final Definitions definitions;
    private volatile State state = new State.Down();
    private final CompletableFuture<Void> triedOnce = new CompletableFuture<>();
    private final List<Consumer<AggregatorEvent>> listeners = new CopyOnWriteArrayList<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final AtomicInteger starts = new AtomicInteger();

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
                    state = new State.Missing();
                    triedOnce.complete(null);
                    return;
                }
                serve(pipes.get());
            } catch (IOException e) {
                LOG.atWarn().addKeyValue("reason", e.getMessage()).log("aggregator.start.failed");
                triedOnce.complete(null);
            }
            boolean wasStable = System.nanoTime() - startedAt > STABLE_AFTER.toNanos();
            backOff = wasStable ? BACK_OFF_MIN : backOff;
            if (closing.await(backOff.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
            backOff = backOff.multipliedBy(2).compareTo(BACK_OFF_MAX) > 0 ? BACK_OFF_MAX : backOff.multipliedBy(2);
        }
    }

    /// How often it was started again.
    public int restarts() {
        return Math.max(0, starts.get() - 1);
    }

    private void serve(AggregatorPipes pipes) {
        AggregatorClient client = AggregatorClient.start(pipes, definitions, this::tell);
        state = new State.Up(client);
        starts.incrementAndGet();
        triedOnce.complete(null);
        if (closing.getCount() == 0) {
            client.close();
        }
        announce();
        client.over().join();
        state = new State.Down();
        announce();
    }

    /// Lists from before no longer hold.
    private void announce() {
        for (String kind : List.of("tools", "resources", "prompts")) {
            tell(new AggregatorEvent.ServerNotification(
                    "", OptionalLong.empty(), "notifications/" + kind + "/list_changed", Optional.empty()));
        }
    }

    @Override
    public Pending submit(Operation operation, Consumer<AggregatorEvent> onEvent) {
        if (!triedOnce.isDone()) {
            return new Pending(
                    0,
                    triedOnce
                            .copy()
                            .completeOnTimeout(null, FIRST_START_MAX.toMillis(), TimeUnit.MILLISECONDS)
                            .thenCompose(any -> submitNow(operation, onEvent).reply()));
        }
        return submitNow(operation, onEvent);
    }

    private Pending submitNow(Operation operation, Consumer<AggregatorEvent> onEvent) {
        return switch (state) {
            case State.Up(AggregatorClient client) -> client.submit(operation, onEvent);
            case State.Missing() -> new Pending(0, CompletableFuture.completedFuture(EmptyBackend.answer(operation)));
            case State.Down() ->
                new Pending(0, CompletableFuture.completedFuture(EmptyBackend.notAvailable("it is being started")));
        };
    }

    /// Hands the newest definitions to the running aggregator; one that starts later reads them by itself.
    public CompletableFuture<AggregatorReply> refresh() {
        return state instanceof State.Up(AggregatorClient client)
                ? client.refresh(definitions).whenComplete((_, _) -> announce())
                : CompletableFuture.completedFuture(new AggregatorReply.Ok());
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
        triedOnce.complete(null);
        if (state instanceof State.Up(AggregatorClient client)) {
            client.submit(new Operation.Shutdown())
                    .completeOnTimeout(new AggregatorReply.Ok(), FAREWELL.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
            client.close();
        }
    }
}
