package dev.capsem.network.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.Admission;
import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.network.metrics.NetworkMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

@SuppressWarnings("FutureReturnValueIgnored")
class ExchangeRecorderTest {
    private static final EventSink NOBODY = new EventSink() {
        @Override
        public CompletableFuture<Admission> admit(EventType kind) {
            return CompletableFuture.completedFuture(admitNow(kind));
        }

        @Override
        public Admission admitNow(EventType kind) {
            return new Admission.Admitted(Admission.Place.BOUNDLESS);
        }

        @Override
        public Receipt record(RecordedExchange exchange, Admission.Place place) {
            return Receipt.ACCEPTED;
        }

        @Override
        public Receipt note(RecordedExchange exchange) {
            return Receipt.ACCEPTED;
        }

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
        ExchangeRecorder recorder = new ExchangeRecorder(NOBODY, threads::add, new NetworkMetrics());
        List<CompletableFuture<Void>> done = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            done.add(recorder.note(() -> {
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
        ExchangeRecorder recorder = new ExchangeRecorder(NOBODY, Runnable::run, new NetworkMetrics());
        CompletableFuture<Void> failed = recorder.note(() -> {
            throw new IllegalStateException("a bug");
        });
        recorder.note(() -> {
            stored.add(1);
            return List.of();
        });

        assertThat(failed).isCompleted();
        assertThat(stored).containsExactly(1);
    }

    @Test
    void givesThePlaceBackWhateverBecomesOfTheRecord() {
        List<String> given = new ArrayList<>();
        ExchangeRecorder recorder = new ExchangeRecorder(NOBODY, Runnable::run, new NetworkMetrics());
        recorder.record(() -> given.add("stored"), List::of);
        recorder.record(() -> given.add("failed"), () -> {
            throw new IllegalStateException("a bug");
        });

        assertThat(given).containsExactly("stored", "failed");
    }
}
