package dev.capsem.llm.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.vocabulary.TraceId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class TraceStateTest {
    private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
    private static final TraceId ONE = new TraceId("one");
    private static final TraceId TWO = new TraceId("two");

    private final TraceState state = new TraceState();

    @Test
    void findsTheTraceOfTheFirstKnownCall() {
        state.register("a", ONE, NOW);
        state.register("b", TWO, NOW);

        assertThat(state.find(List.of("x", "b", "a"), NOW)).hasValue(TWO);
        assertThat(state.find(List.of("x"), NOW)).isEmpty();
        assertThat(state.find(List.of(), NOW)).isEmpty();
    }

    @Test
    void findsItAgainForARetry() {
        state.register("a", ONE, NOW);

        assertThat(state.find(List.of("a"), NOW)).hasValue(ONE);
        assertThat(state.find(List.of("a"), NOW)).hasValue(ONE);
    }

    @Test
    void forgetsAllCallsOfAFinishedTraceAndNoOther() {
        state.register("a", ONE, NOW);
        state.register("b", ONE, NOW);
        state.register("c", TWO, NOW);

        state.complete(ONE);

        assertThat(state.find(List.of("a", "b"), NOW)).isEmpty();
        assertThat(state.find(List.of("c"), NOW)).hasValue(TWO);
        assertThat(state.size()).isEqualTo(1);
    }

    @Test
    void givesACallThatIsUsedAgainToTheLaterTrace() {
        state.register("a", ONE, NOW);
        state.register("a", TWO, NOW);

        state.complete(ONE);

        assertThat(state.find(List.of("a"), NOW)).hasValue(TWO);
    }

    @Test
    void holdsNoMoreThanItsLimit() {
        for (int i = 0; i < TraceState.PENDING_MAX + 5; i++) {
            state.register("call" + i, new TraceId("trace" + i), NOW);
        }

        assertThat(state.size()).isEqualTo(TraceState.PENDING_MAX);
        assertThat(state.find(List.of("call4"), NOW)).isEmpty();
        assertThat(state.find(List.of("call5"), NOW)).isPresent();
    }

    @Test
    void forgetsWhatIsTooOld() {
        state.register("a", ONE, NOW);
        Instant later = NOW.plus(TraceState.AGE_MAX).plus(Duration.ofMillis(1));

        assertThat(state.find(List.of("a"), NOW.plus(TraceState.AGE_MAX))).hasValue(ONE);
        assertThat(state.find(List.of("a"), later)).isEmpty();
        state.register("b", TWO, later);
        assertThat(state.size()).isEqualTo(1);
    }

    @Test
    void keepsNoIdThatIsNone() {
        state.register("", ONE, NOW);
        state.register("x".repeat(TraceState.ID_CHARACTERS_MAX + 1), ONE, NOW);

        assertThat(state.size()).isZero();
    }
}
