package dev.capsem.service;

import java.util.concurrent.CountDownLatch;

/// On SIGTERM or SIGINT: asks the program to end the way it does by itself, and gives it the time.
final class Farewell implements Runnable {
    private static final long MILLIS_MAX = 8_000;

    private final CountDownLatch end;
    private final Thread main;

    Farewell(CountDownLatch end) {
        this.end = end;
        this.main = Thread.currentThread();
    }

    @Override
    public void run() {
        end.countDown();
        try {
            main.join(MILLIS_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
