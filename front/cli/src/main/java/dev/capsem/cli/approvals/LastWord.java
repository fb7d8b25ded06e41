package dev.capsem.cli.approvals;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// A guest can ask our terminal things, such as where the cursor is, and end before the answer comes: the host's shell
/// would take it for typed. So the terminal is asked something of our own last, and all that comes before its answer
/// is dropped.
final class LastWord {
    static final String QUESTION = "\u001b[5n";

    /// A terminal that answers at all does so at once; a far one takes a moment.
    static final Duration PATIENCE = Duration.ofMillis(400);

    private static final int HEARD_MAX = 64;

    private final CountDownLatch isSaid = new CountDownLatch(1);

    /// The end of what came.
    private String heard = "";

    synchronized void hear(byte[] typed, int length) {
        String all = heard + new String(typed, 0, length, StandardCharsets.ISO_8859_1);
        if (all.contains("\u001b[0n") || all.contains("\u001b[3n")) {
            isSaid.countDown();
        }
        heard = all.substring(Math.max(0, all.length() - HEARD_MAX));
    }

    boolean isSaid() {
        return isSaid.getCount() == 0;
    }

    /// Returns when it was said, or when nobody need wait any longer.
    void await() {
        try {
            boolean _ = isSaid.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
