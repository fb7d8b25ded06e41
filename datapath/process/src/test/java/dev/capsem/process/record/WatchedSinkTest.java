package dev.capsem.process.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.Admission;
import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.vocabulary.EventType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WatchedSinkTest {
    /// Tells how something was handed in.
    private static final class Ways implements EventSink {
        private final List<String> taken = new ArrayList<>();

        private Receipt take(String way) {
            taken.add(way);
            return Receipt.ACCEPTED;
        }

        @Override
        public CompletableFuture<Admission> admit(EventType kind) {
            return CompletableFuture.completedFuture(admitNow(kind));
        }

        @Override
        public Admission admitNow(EventType kind) {
            taken.add("admit");
            return new Admission.Admitted(Admission.Place.BOUNDLESS);
        }

        @Override
        public Receipt record(RecordedExchange exchange, Admission.Place place) {
            return take("record");
        }

        @Override
        public Receipt note(RecordedExchange exchange) {
            return take("note");
        }

        @Override
        public Receipt keep(RecordedExchange exchange) {
            return take("keep");
        }

        @Override
        public Receipt offer(RecordedExchange exchange) {
            return take("offer");
        }

        @Override
        public Receipt recordOrWait(RecordedExchange exchange) {
            return take("wait");
        }
    }

    @Test
    void everythingIsShownAndPassedOnAsItCame() {
        RecordedEvents events = new RecordedEvents();
        Recorders.into(events).lifecycle(EventType.SANDBOX_START);
        RecordedExchange exchange = events.all().getFirst();
        Ways ways = new Ways();
        List<RecordedExchange> shown = new ArrayList<>();
        WatchedSink sink = new WatchedSink(ways, shown::add);

        sink.record(exchange, Admission.Place.BOUNDLESS);
        sink.note(exchange);
        sink.keep(exchange);
        sink.offer(exchange);
        sink.recordOrWait(exchange);
        assertThat(sink.admitNow(EventType.HTTP_REQUEST)).isInstanceOf(Admission.Admitted.class);

        assertThat(ways.taken).containsExactly("record", "note", "keep", "offer", "wait", "admit");
        assertThat(shown).hasSize(5).allMatch(exchange::equals);
    }

    @Test
    void whatTheHostDidWithTheSandboxIsKept() {
        Ways ways = new Ways();
        Recorder recorder = Recorders.into(ways);

        recorder.lifecycle(EventType.SANDBOX_STOP);
        recorder.stoppedByLimit("stopped: its files passed the quota");

        assertThat(ways.taken).containsExactly("keep", "keep");
    }
}
