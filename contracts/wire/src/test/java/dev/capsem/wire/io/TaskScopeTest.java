package dev.capsem.wire.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class TaskScopeTest {
    @Test
    void closingInterruptsWhatRunsAndWaitsForIt() throws InterruptedException {
        AtomicBoolean ended = new AtomicBoolean();
        CountDownLatch started = new CountDownLatch(1);
        TaskScope scope = new TaskScope("test", (thread, failure) -> {});
        scope.start(() -> {
            started.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                ended.set(true);
                Thread.currentThread().interrupt();
            }
        });
        started.await();

        scope.close();

        assertThat(ended).isTrue();
    }

    @Test
    void reportsWhatATaskThrows() {
        AtomicReference<String> reported = new AtomicReference<>();
        CountDownLatch failed = new CountDownLatch(1);

        try (TaskScope scope = new TaskScope("test", (thread, failure) -> {
            reported.set(thread.getName() + ": " + failure.getMessage());
            failed.countDown();
        })) {
            scope.start(() -> {
                throw new IllegalStateException("broken");
            });
            assertThat(await(failed)).isTrue();
        }

        assertThat(reported).hasValue("test-0: broken");
    }

    private static boolean await(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
