package dev.capsem.telemetry.write;

import dev.capsem.events.Admission;
import dev.capsem.events.Admission.Admitted;
import dev.capsem.events.Admission.Refused;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.telemetry.chain.Losses;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;

/// Decides what may begin: there must be room in the queue for what it will put on record, and the writer must be able
/// to write. Whoever cannot be told at once waits, first come first served, and is then refused. Safe for many threads;
/// none of them ever waits here.
final class AdmissionDesk {
    /// Beyond it whoever comes is refused at once.
    static final int WAITERS_MAX = 1_024;

    private final int capacity;
    private final Duration patience;
    private final IntSupplier queued;
    private final Losses refusals;
    private final Deque<Waiter> waiters = new ArrayDeque<>();
    private int places;
    private Optional<WriterStatus.Problem> problem = Optional.empty();
    private boolean isClosed;

    private record Waiter(EventType kind, CompletableFuture<Admission> answer) {}

    /// @param capacity of the queue: what is in it and what was promised room in it
    /// @param queued how many are in it
    /// @param refusals counts whoever is refused
    AdmissionDesk(int capacity, Duration patience, IntSupplier queued, Losses refusals) {
        this.capacity = capacity;
        this.patience = patience;
        this.queued = queued;
        this.refusals = refusals;
    }

    CompletableFuture<Admission> admit(EventType kind) {
        Waiter waiter = new Waiter(kind, new CompletableFuture<>());
        synchronized (this) {
            Optional<Refused> hindrance = hindrance();
            if (hindrance.isEmpty() && waiters.isEmpty()) {
                return CompletableFuture.completedFuture(admitted());
            }
            if (isClosed || waiters.size() >= WAITERS_MAX) {
                refusals.add(kind);
                return CompletableFuture.completedFuture(hindrance.orElseGet(this::noRoom));
            }
            waiters.add(waiter);
        }
        CompletableFuture.delayedExecutor(patience.toMillis(), TimeUnit.MILLISECONDS)
                .execute(() -> expire(waiter));
        serve();
        return waiter.answer();
    }

    synchronized Admission admitNow(EventType kind) {
        Optional<Refused> hindrance = hindrance();
        if (hindrance.isEmpty()) {
            return admitted();
        }
        refusals.add(kind);
        return hindrance.get();
    }

    /// Whether the queue can take one that nobody promised room to.
    synchronized boolean hasRoom() {
        return !isFull();
    }

    /// @param now why the writer cannot write; absent when it can again
    void know(Optional<WriterStatus.Problem> now) {
        synchronized (this) {
            problem = now;
        }
        serve();
    }

    /// From now on nobody is admitted.
    void close() {
        List<Waiter> left;
        synchronized (this) {
            isClosed = true;
            left = List.copyOf(waiters);
        }
        left.forEach(this::expire);
    }

    /// There may be room for those who wait.
    void serve() {
        List<Runnable> told = new ArrayList<>();
        synchronized (this) {
            while (!waiters.isEmpty() && hindrance().isEmpty()) {
                Waiter next = waiters.remove();
                if (!next.answer().isDone()) {
                    Admitted admitted = admitted();
                    told.add(() -> tell(next, admitted));
                }
            }
        }
        told.forEach(Runnable::run);
    }

    private static void tell(Waiter waiter, Admitted admitted) {
        if (!waiter.answer().complete(admitted)) {
            admitted.place().close(); // It gave up in between.
        }
    }

    private void expire(Waiter waiter) {
        Refused refused;
        synchronized (this) {
            if (!waiters.remove(waiter) || waiter.answer().isDone()) {
                return;
            }
            refusals.add(waiter.kind());
            refused = hindrance().orElseGet(this::noRoom);
        }
        waiter.answer().complete(refused);
    }

    private Admitted admitted() {
        places++;
        AtomicBoolean isGivenBack = new AtomicBoolean();
        return new Admitted(() -> {
            if (isGivenBack.compareAndSet(false, true)) {
                giveBack();
            }
        });
    }

    private void giveBack() {
        boolean isAwaited;
        synchronized (this) {
            places--;
            isAwaited = !waiters.isEmpty();
        }
        if (isAwaited) {
            serve();
        }
    }

    private Optional<Refused> hindrance() {
        if (isClosed) {
            return Optional.of(new Refused("the sandbox is ending", "start it again"));
        }
        if (problem.isPresent()) {
            return problem.map(known -> new Refused(known.cause(), known.remedy()));
        }
        return isFull() ? Optional.of(noRoom()) : Optional.empty();
    }

    private boolean isFull() {
        return places + queued.getAsInt() >= capacity;
    }

    private Refused noRoom() {
        return new Refused(
                "its queue holds " + capacity + " exchanges and is full",
                "try again in a moment; ask less at once, or give the sandbox a faster disk");
    }
}
