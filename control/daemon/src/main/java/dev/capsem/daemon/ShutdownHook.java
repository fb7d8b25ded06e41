package dev.capsem.daemon;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// On SIGTERM or SIGINT: asks the program to end the way it does by itself, and gives it the time. A service that
/// does not serve yet has nobody to say farewell to, and what it is making survives a `kill -9` anyway.
final class ShutdownHook implements Runnable {
    private static final long MILLIS_MAX = 8_000;

    private final CountDownLatch end;
    private final CountDownLatch ended;
    private final BooleanSupplier serves;

    /// @param end asks for the end
    /// @param ended says that it came
    /// @param serves whether anybody can have asked for anything yet
    ShutdownHook(CountDownLatch end, CountDownLatch ended, BooleanSupplier serves) {
        this.end = end;
        this.ended = ended;
        this.serves = serves;
    }

    @Override
    public void run() {
        end.countDown();
        if (!serves.getAsBoolean()) {
            return;
        }
        try {
            boolean _ = ended.await(MILLIS_MAX, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
