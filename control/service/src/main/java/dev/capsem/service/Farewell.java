package dev.capsem.service;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// On SIGTERM or SIGINT: asks the program to end the way it does by itself, and gives it the time.
final class Farewell implements Runnable {
    private static final long MILLIS_MAX = 8_000;

    private final CountDownLatch end;
    private final CountDownLatch ended;

    /// @param end asks for the end
    /// @param ended says that it came
    Farewell(CountDownLatch end, CountDownLatch ended) {
        this.end = end;
        this.ended = ended;
    }

    @Override
    public void run() {
        end.countDown();
        try {
            boolean _ = ended.await(MILLIS_MAX, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
