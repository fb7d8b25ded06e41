package dev.capsem.network.http.upstream.io;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Something slow to make that nobody may ever ask for: made once, when first asked for, on another thread than those
/// who ask.
public final class Deferred<T> {
    private final Supplier<T> making;
    private final Executor maker;
    private final AtomicBoolean isWanted = new AtomicBoolean();
    private final CompletableFuture<T> made = new CompletableFuture<>();

    /// @param making may throw; then everyone who asks is told
    public Deferred(Supplier<T> making, Executor maker) {
        this.making = making;
        this.maker = maker;
    }

    /// Begins the making if nobody has.
    public void want() {
        if (isWanted.compareAndSet(false, true)) {
            maker.execute(() -> {
                try {
                    made.complete(making.get());
                } catch (RuntimeException e) {
                    made.completeExceptionally(e);
                }
            });
        }
    }

    /// Gives what was made to one of the two, on the asker's own thread: at once if it is there.
    ///
    /// @param thread of the asker, who is on it
    void get(Executor thread, Consumer<T> use, Consumer<Throwable> fail) {
        want();
        BiConsumer<T, @Nullable Throwable> tell = (value, failure) -> {
            if (failure == null) {
                use.accept(value);
            } else {
                fail.accept(failure);
            }
        };
        CompletableFuture<T> _ = made.isDone() ? made.whenComplete(tell) : made.whenCompleteAsync(tell, thread);
    }
}
