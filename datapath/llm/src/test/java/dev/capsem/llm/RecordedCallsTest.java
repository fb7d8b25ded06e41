package dev.capsem.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.EventJson;
import dev.capsem.events.row.ModelRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

/// Every recorded call gives its rows. `-Dgolden.update` rewrites them; the diff is then reviewed.
class RecordedCallsTest {
    private static final long SEED = 20_261_115;

    /// Shorter replies are cut at every byte, longer ones at about as many.
    private static final int CUTS = 600;

    static List<Recorded> calls() {
        return Recorded.all();
    }

    @ParameterizedTest
    @MethodSource("calls")
    void givesTheRowsOfRecord(Recorded call) throws IOException {
        String rows = text(call.row(Recorded.observer(), List.of()));

        Path golden = Recorded.DIRECTORY.resolve(call.name()).resolve("rows.json");
        if (System.getProperty("golden.update") != null) {
            Files.writeString(golden, rows);
        }
        assertThat(golden).as("missing golden file; run with -Dgolden.update").exists();
        assertThat(rows).as("%s; run with -Dgolden.update and review", golden).isEqualTo(Files.readString(golden));
    }

    @ParameterizedTest
    @MethodSource("calls")
    void givesTheSameRowsHoweverTheReplyIsSplit(Recorded call) {
        ModelRow whole = call.row(Recorded.observer(), List.of());
        Random random = new Random(SEED);

        for (int cut = 1; cut < call.reply().length; cut += 1 + call.reply().length / CUTS) {
            assertThat(call.row(Recorded.observer(), List.of(cut)))
                    .as("cut at %d", cut)
                    .isEqualTo(whole);
        }
        for (int round = 0; round < 50; round++) {
            List<Integer> cuts = random.ints(1 + random.nextInt(40), 0, call.reply().length)
                    .sorted()
                    .boxed()
                    .toList();
            assertThat(call.row(Recorded.observer(), cuts))
                    .as("seed %d, cuts %s", SEED, cuts)
                    .isEqualTo(whole);
        }
    }

    @Test
    void coversEveryFormatInEveryState() {
        for (String format : List.of("anthropic", "chat", "responses", "gemini", "ollama", "converse", "bedrock")) {
            for (String state : List.of("stream-text", "stream-tools", "whole-tools", "truncated")) {
                assertThat(Recorded.DIRECTORY.resolve(format + "-" + state)).exists();
            }
        }
    }

    private static String text(ModelRow row) {
        return new JsonMapper().writerWithDefaultPrettyPrinter().writeValueAsString(EventJson.tree(row)) + "\n";
    }
}
