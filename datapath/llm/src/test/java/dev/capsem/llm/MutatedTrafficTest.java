package dev.capsem.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.capsem.events.row.ModelInteraction.ParseStatus;
import dev.capsem.events.row.ModelRow;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Nothing that a guest or a server sends makes the tap throw, and what is broken is not called complete.
class MutatedTrafficTest {
    private static final long SEED = 815;
    private static final int ROUNDS = 150;

    /// Bytes with a meaning somewhere.
    private static final byte[] TELLING = "{}[]\",:\\\n\r\u0000\u0001 0-9eEtfnu\u007f".getBytes(StandardCharsets.UTF_8);

    static List<Recorded> calls() {
        return Recorded.all();
    }

    @ParameterizedTest
    @MethodSource("calls")
    void neverThrows(Recorded call) {
        Random random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] request = mutated(call.request(), random);
            byte[] reply = mutated(call.reply(), random);
            Recorded changed = new Recorded(call.name(), call.head(), request, call.status(), reply);
            int cut = random.nextInt(reply.length + 1);

            assertThatCode(() -> {
                        ModelRow whole = changed.row(Recorded.observer(), List.of());
                        assertThat(changed.row(Recorded.observer(), List.of(cut)))
                                .isEqualTo(whole);
                    })
                    .as("seed %d, round %d of %s", SEED, round, call.name())
                    .doesNotThrowAnyException();
        }
    }

    @ParameterizedTest
    @MethodSource("calls")
    void readsRepliesInTheFormatOfAnotherApi(Recorded call) {
        for (Recorded other : Recorded.all()) {
            assertThatCode(() -> call.withReply(other.reply()).row(Recorded.observer(), List.of()))
                    .doesNotThrowAnyException();
        }
    }

    @ParameterizedTest
    @MethodSource("calls")
    void callsAReplyPartialThatStopsInTheMiddle(Recorded call) {
        byte[] half = Arrays.copyOf(call.reply(), call.reply().length / 2);

        ModelRow row = call.withReply(half).row(Recorded.observer(), List.of());

        assertThat(row.interaction().orElseThrow().parseStatus()).isEqualTo(ParseStatus.PARTIAL);
    }

    private static byte[] mutated(byte[] original, Random random) {
        byte[] bytes = original.clone();
        for (int i = random.nextInt(6); i >= 0; i--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] = (byte) random.nextInt(256);
                case 1 -> bytes[at] = TELLING[random.nextInt(TELLING.length)];
                case 2 -> bytes = Arrays.copyOf(bytes, Math.max(1, at));
                case 3 -> {
                    int length = Math.min(bytes.length - at, 1 + random.nextInt(20));
                    System.arraycopy(bytes, at, bytes, random.nextInt(bytes.length - length + 1), length);
                }
                default -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            }
        }
        return bytes;
    }
}
