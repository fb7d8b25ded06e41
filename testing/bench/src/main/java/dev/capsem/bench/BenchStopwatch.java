package dev.capsem.bench;

import java.io.IOException;

/// Times a piece of work.
final class BenchStopwatch {
    private BenchStopwatch() {}

    /// Work that may fail as IO does.
    interface Work {
        void run() throws IOException;
    }

    static double millis(Work work) throws IOException {
        long start = System.nanoTime();
        work.run();
        return (System.nanoTime() - start) / 1e6;
    }

    static double[] millis(int rounds, Work work) throws IOException {
        double[] all = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            all[round] = millis(work);
        }
        return all;
    }

    static void pause(long millis) throws IOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException(interrupted);
        }
    }
}
