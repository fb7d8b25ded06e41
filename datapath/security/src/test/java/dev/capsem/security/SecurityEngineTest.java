package dev.capsem.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.Body;
import dev.capsem.events.vocabulary.EventType;
import org.junit.jupiter.api.Test;

class SecurityEngineTest {
    private static final String ALLOW = Events.only("http", "http.request", "http.request.port == 443", "allow", "");
    private static final String BLOCK = Events.only("http", "http.request", "http.request.port == 80", "block", "");

    @Test
    void countsTheSetsOfRules() {
        SecurityEngine engine = new SecurityEngine();
        assertThat(engine.generation()).isZero();
        assertThat(engine.snapshot()).isEmpty();

        engine.replace(Events.snapshot(ALLOW));
        assertThat(engine.generation()).isEqualTo(1);
        engine.replace(Events.snapshot(BLOCK));
        assertThat(engine.generation()).isEqualTo(2);
        assertThat(new SecurityEngine(Events.snapshot(ALLOW)).generation()).isEqualTo(1);
    }

    @Test
    void watchesATypeThatARuleMayStop() {
        assertThat(new SecurityEngine().isWatched(EventType.HTTP_REQUEST)).isFalse();
        assertThat(Events.engine(BLOCK).isWatched(EventType.HTTP_REQUEST)).isTrue();
        assertThat(Events.engine(BLOCK).isWatched(EventType.FILE_READ)).isFalse();
    }

    @Test
    void aBlockNamesTheRuleThatFailed() {
        SecurityEngine engine = Events.engine(
                Events.only("http", "http.request", "http.request.port / (http.request.port - 443) == 1", "block", ""));

        assertThat(engine.evaluate(Events.http("GET", "a.b", "/"))
                        .steps()
                        .getFirst()
                        .ruleId())
                .isPresent();
    }

    @Test
    void withoutRulesNoBodyIsWaitedFor() {
        assertThat(new SecurityEngine().needsBody(Events.http("POST", "a.b", "/", Body.of("x"))))
                .isFalse();
        assertThat(new SecurityEngine().needsAddress()).isTrue();
    }

    @Test
    void aRuleThatFailsEarlyWantsTheBodyAllTheSame() {
        SecurityEngine engine = Events.engine(
                Events.only("http", "http.request", "http.request.port / (http.request.port - 443) == 1", "block", ""));

        assertThat(engine.needsBody(Events.http("POST", "a.b", "/", Body.of("x"))))
                .isTrue();
    }
}
