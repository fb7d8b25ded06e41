package dev.capsem.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.events.vocabulary.SpanId;
import dev.capsem.events.vocabulary.Timestamps;
import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.events.vocabulary.WireNamed;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class VocabularyTest {
    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");

    @Test
    void eventIdsSortInTheOrderTheyWereMadeEvenWhenTheClockStandsStill() {
        IdSource ids = new IdSource(InstantSource.fixed(NOW), new Random(1));

        List<String> made = Stream.generate(ids::nextEventId)
                .limit(100_000)
                .map(EventId::value)
                .toList();

        assertThat(made).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void eventIdsOfTwoSourcesDiffer() {
        IdSource one = new IdSource(InstantSource.fixed(NOW), new Random(1));
        IdSource other = new IdSource(InstantSource.fixed(NOW), new Random(2));

        assertThat(one.nextEventId()).isNotEqualTo(other.nextEventId());
    }

    @Test
    void traceIdsFollowW3c() {
        IdSource ids = new IdSource(InstantSource.fixed(NOW), new Random(1));

        assertThat(ids.newTraceId().value()).matches("[0-9a-f]{32}");
        assertThat(ids.newSpanId().value()).matches("[0-9a-f]{16}");
    }

    @Test
    void refusesIdsThatCouldBreakAnything() {
        assertThatThrownBy(() -> new EventId("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new EventId("a b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new TraceId("x".repeat(129))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new TraceId("a\n")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SpanId("00F067AA0BA902B7")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void timestampsSortAsTimes() {
        List<Instant> times = List.of(
                Instant.EPOCH,
                NOW,
                NOW.plusNanos(1_000),
                NOW.plusMillis(500),
                NOW.plusSeconds(1),
                Instant.parse("2030-12-31T23:59:59.999999Z"));

        assertThat(times.stream().map(Timestamps::text)).isSorted().doesNotHaveDuplicates();
        assertThat(Timestamps.text(NOW.plusNanos(1_000))).isEqualTo("2026-03-01T10:00:00.000001Z");
        assertThat(times)
                .allSatisfy(
                        time -> assertThat(Instant.parse(Timestamps.text(time))).isEqualTo(time));
    }

    @Test
    void namesReadBackAsTheirConstants() {
        for (EventType type : EventType.values()) {
            assertThat(WireNamed.parse(EventType.class, type.wireName())).contains(type);
            assertThat(type.wireName()).startsWith(type.family().wireName() + ".");
        }
        assertThat(WireNamed.parse(EventType.class, "http.read")).isEmpty();
    }
}
