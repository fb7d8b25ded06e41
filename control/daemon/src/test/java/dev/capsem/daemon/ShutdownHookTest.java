package dev.capsem.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ShutdownHookTest {
    /// Counts who waits instead of making anybody wait.
    private static final class Watched extends CountDownLatch {
        private final AtomicInteger waits = new AtomicInteger();

        Watched() {
            super(1);
        }

        @Override
        public boolean await(long timeout, TimeUnit unit) {
            waits.incrementAndGet();
            return true;
        }
    }

    private final CountDownLatch end = new CountDownLatch(1);
    private final Watched ended = new Watched();

    @Test
    void servingServiceIsGivenTime() {
        new ShutdownHook(end, ended, () -> true).run();

        assertThat(end.getCount()).isZero();
        assertThat(ended.waits).hasValue(1);
    }

    @Test
    void startingServiceEndsAtOnce() {
        new ShutdownHook(end, ended, () -> false).run();

        assertThat(end.getCount()).isZero();
        assertThat(ended.waits).hasValue(0);
    }
}
