package dev.capsem.bench;

/// Times a piece of work.
final class Stopwatch {
    private Stopwatch() {}

    /// Work that may fail as IO does.
    interface Work {
        void run() throws java.io.IOException;
    }

    static double millis(Work work) throws java.io.IOException {
        long start = System.nanoTime();
        work.run();
        return (System.nanoTime() - start) / 1e6;
    }

    static double[] millis(int rounds, Work work) throws java.io.IOException {
        double[] all = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            all[round] = millis(work);
        }
        return all;
    }
}
