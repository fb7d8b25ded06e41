package dev.capsem.sandboxserver.repeat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.service.state.StateFile;
import dev.capsem.wire.json.Json;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class IdempotencyKeysTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    private Path directory = Path.of("replaced by JUnit");

    private final AtomicInteger made = new AtomicInteger();

    private IdempotencyKeys keys(Instant now) {
        return new IdempotencyKeys(new StateFile(directory.resolve("keys.json")), Clock.fixed(now, ZoneOffset.UTC));
    }

    private int once(IdempotencyKeys keys, String kind, String key, String request) {
        JsonNode answer = keys.once(
                kind, Optional.of(key), request, _ -> true, () -> Json.object().put("n", made.incrementAndGet()));
        return answer.path("n").asInt();
    }

    @Test
    void theSecondRequestGetsTheAnswerOfTheFirst() {
        IdempotencyKeys keys = keys(NOW);

        assertThat(once(keys, "fork", "k", "a")).isEqualTo(1);
        assertThat(once(keys, "fork", "k", "a")).isEqualTo(1);
        assertThat(once(keys, "template", "k", "a")).as("another kind").isEqualTo(2);
        assertThat(once(keys, "fork", "l", "a")).as("another key").isEqualTo(3);
        assertThatThrownBy(() -> once(keys, "fork", "k", "b"))
                .as("another request under the same key")
                .isInstanceOfSatisfying(ApiProblem.class, problem -> {
                    assertThat(problem.status()).isEqualTo(422);
                    assertThat(problem.code()).isEqualTo(ApiProblem.Code.INVALID_INPUT);
                });
        assertThat(made).hasValue(3);
        assertThatThrownBy(() -> once(keys, "fork", "", "b")).isInstanceOf(ApiProblem.class);
    }

    @Test
    void aKeyIsKeptForADayAndAcrossARestart() {
        once(keys(NOW), "fork", "k", "a");

        assertThat(once(keys(NOW.plus(Duration.ofHours(24))), "fork", "k", "a")).isEqualTo(1);
        assertThat(once(keys(NOW.plus(Duration.ofHours(25))), "fork", "k", "a")).isEqualTo(2);
    }

    @Test
    void whatFailedOrIsGoneFreesItsKey() {
        IdempotencyKeys keys = keys(NOW);
        assertThatThrownBy(() -> keys.once("fork", Optional.of("k"), "a", _ -> true, () -> {
                    throw new IllegalStateException("no");
                }))
                .isInstanceOf(IllegalStateException.class);

        assertThat(once(keys, "fork", "k", "a")).isEqualTo(1);
        keys.once("fork", Optional.of("k"), "a", _ -> false, () -> Json.object().put("n", made.incrementAndGet()));
        assertThat(once(keys, "fork", "k", "a")).isEqualTo(2);
    }
}
