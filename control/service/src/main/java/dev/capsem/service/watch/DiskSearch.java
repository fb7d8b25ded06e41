package dev.capsem.service.watch;

import dev.capsem.sandbox.SandboxException;
import dev.capsem.service.table.Sandbox;
import dev.capsem.wire.io.TaskScope;
import dev.capsem.wire.json.JsonShapeException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Finds the sandbox that has most of something, by walks that may take minutes: in the background, one search at a
/// time, one walk after the other.
final class DiskSearch {
    /// After this no further walk begins: the disk is short, and somebody must be stopped by what is known.
    static final Duration TIME_MAX = Duration.ofMinutes(2);

    private static final Logger LOG = LoggerFactory.getLogger(DiskSearch.class);

    private final TaskScope background;
    private final LongSupplier nanoTime;
    private final AtomicBoolean isUnderWay = new AtomicBoolean();

    private record Amount(Sandbox sandbox, long amount) {}

    DiskSearch(TaskScope background, LongSupplier nanoTime) {
        this.background = background;
        this.nanoTime = nanoTime;
    }

    /// Never waits.
    ///
    /// @param min of whom there is less, is not it
    /// @param amount may take its time
    /// @return whether the search began; not while another one is under way
    boolean begin(
            List<Sandbox> among, long min, ToLongFunction<Sandbox> amount, Consumer<Optional<Sandbox>> whenFound) {
        if (background.isClosed() || !isUnderWay.compareAndSet(false, true)) {
            return false;
        }
        background.start(() -> {
            try {
                whenFound.accept(most(among, min, amount));
            } finally {
                isUnderWay.set(false);
            }
        });
        return true;
    }

    private Optional<Sandbox> most(List<Sandbox> among, long min, ToLongFunction<Sandbox> amount) {
        long began = nanoTime.getAsLong();
        return among.stream()
                .takeWhile(_ -> nanoTime.getAsLong() - began < TIME_MAX.toNanos())
                .flatMap(sandbox -> amount(sandbox, amount))
                .filter(each -> each.amount >= min)
                .max(Comparator.comparingLong(Amount::amount))
                .map(Amount::sandbox);
    }

    /// One that cannot be measured, such as one that just ended, does not keep the others from it.
    private static Stream<Amount> amount(Sandbox sandbox, ToLongFunction<Sandbox> amount) {
        try {
            return Stream.of(new Amount(sandbox, amount.applyAsLong(sandbox)));
        } catch (SandboxException | JsonShapeException e) {
            LOG.warn("the files of {} could not be measured: {}", sandbox.id(), e.getMessage());
            return Stream.empty();
        }
    }
}
