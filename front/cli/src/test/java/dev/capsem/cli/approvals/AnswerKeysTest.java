package dev.capsem.cli.approvals;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AnswerKeysTest {
    private static final Instant SHOWN = Instant.parse("2026-01-31T12:00:00Z");
    private static final List<String> ALL = List.of("once", "session", "always");

    private final AnswerKeys keys = new AnswerKeys(SHOWN, AnswerKeys.QUIET);

    private Optional<ApprovalAnswer> press(String typed, long millis) {
        byte[] bytes = typed.getBytes(StandardCharsets.UTF_8);
        return keys.read(bytes, bytes.length, SHOWN.plus(Duration.ofMillis(millis)), ALL);
    }

    @Test
    void aKeyAfterAQuietMomentAnswers() {
        assertThat(press("s", 1_000)).hasValue(ApprovalAnswer.SESSION);
    }

    @Test
    void aKeyOfSomebodyWhoWasTypingIsNoAnswer() {
        assertThat(press("o", 100)).isEmpty();
        assertThat(press("s", 600)).isEmpty();
        assertThat(press("a", 1_200)).isEmpty();
        assertThat(press("a", 2_000)).hasValue(ApprovalAnswer.ALWAYS);
    }

    @Test
    void whatIsPastedOrAFunctionKeyIsNoAnswer() {
        assertThat(press("sudo make", 1_000)).isEmpty();
        assertThat(press("\u001bOs", 3_000)).isEmpty();
    }

    @Test
    void otherKeysAreNoAnswer() {
        assertThat(press("\r", 1_000)).isEmpty();
        assertThat(press("O", 2_000)).isEmpty();
        assertThat(press("y", 3_000)).isEmpty();
    }

    @Test
    void controlCDeniesAtOnce() {
        assertThat(press("\u0003", 10)).hasValue(ApprovalAnswer.DENY);
    }

    @Test
    void aScopeThatIsNotOfferedIsNoAnswer() {
        byte[] always = {'a'};

        assertThat(keys.read(always, 1, SHOWN.plusSeconds(5), List.of("once", "session")))
                .isEmpty();
    }
}
