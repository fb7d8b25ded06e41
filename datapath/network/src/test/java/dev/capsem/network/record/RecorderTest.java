package dev.capsem.network.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.network.metrics.NetworkMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

@SuppressWarnings("FutureReturnValueIgnored")
class RecorderTest {
    private static final EventSink NOBODY = new EventSink() {
        @Override
        public Receipt offer(RecordedExchange exchange) {
            return Receipt.ACCEPTED;
        }

        @Override
        public Receipt recordOrWait(RecordedExchange exchange) {
            return Receipt.ACCEPTED;
        }
    };

    /// Whichever thread gets to run first.
    @Test
    void storesInTheOrderInWhichThingsHappened() {
        List<Runnable> threads = new ArrayList<>();
        List<Integer> stored = new ArrayList<>();
        Recorder recorder = new Recorder(NOBODY, threads::add, new NetworkMetrics());
        List<CompletableFuture<Void>> done = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            done.add(recorder.record(() -> {
                stored.add(number);
                return List.of();
            }));
        }
        threads.reversed().forEach(Runnable::run);

        assertThat(stored).containsExactly(0, 1, 2, 3, 4);
        assertThat(done).allMatch(CompletableFuture::isDone);
    }

    @Test
    void aBugCostsOneExchangeItsRecordAndNoOther() {
        List<Integer> stored = new ArrayList<>();
        Recorder recorder = new Recorder(NOBODY, Runnable::run, new NetworkMetrics());
        CompletableFuture<Void> failed = recorder.record(() -> {
            throw new IllegalStateException("a bug");
        });
        recorder.record(() -> {
            stored.add(1);
            return List.of();
        });

        assertThat(failed).isCompleted();
        assertThat(stored).containsExactly(1);
    }
}
