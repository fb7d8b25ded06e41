package dev.capsem.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/// An edited profile reaches a running sandbox; a bad one changes nothing and says why.
@Tag("e2e")
class ReloadTest {
    private static final String HEAD = "schema = \"capsem.profile.v2\"\nid = \"coding\"\n\n";
    private static final String RULE = """
            [security.rules.process.no_marks]
            on = "process.exec"
            if = 'process.exec.command.contains("mark")'
            decision = "block"
            reason = "no marks"
            """;

    private static void profile(Installation installation, String text) throws IOException {
        Path profiles = Files.createDirectories(installation.home().resolve("profiles"));
        Files.writeString(profiles.resolve("coding.toml"), text);
        installation.handOver(profiles);
    }

    private static int status(Installation installation) {
        return installation
                .post("/exec/lab", "{\"command\":\"echo mark\",\"timeout_secs\":60}")
                .status();
    }

    @Test
    void changesArriveAndMistakesDoNot() throws Exception {
        try (Installation installation = Installation.start(Account.available().getLast())) {
            installation.create("{\"name\":\"lab\",\"persistent\":true}");
            assertThat(status(installation)).isEqualTo(200);

            profile(installation, HEAD + RULE);
            JsonNode reloaded =
                    installation.post("/reload-config", "{}").expect(200).json();
            assertThat(reloaded.path("reloaded").asInt()).isEqualTo(1);
            assertThat(status(installation)).isNotEqualTo(200);

            profile(installation, HEAD + RULE.replace("command", "comand"));
            JsonNode typo =
                    installation.post("/reload-config", "{}").expect(500).json();
            assertThat(typo.path("message").asString()).contains("coding.toml:6:", "process.exec.command");
            assertThat(status(installation)).as("the last good rules stay").isNotEqualTo(200);

            JsonNode why = installation
                    .post("/rules/explain", "{\"sandbox\":\"lab\"}")
                    .expect(200)
                    .json();
            assertThat(why.path("event").path("type").asString()).isEqualTo("process.exec");
            assertThat(why.path("rule").asString()).isEqualTo("security.rules.process.no_marks");

            // Nobody asks for a reload here: the service follows the file.
            profile(installation, HEAD);
            long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (status(installation) != 200) {
                assertThat(System.nanoTime()).as("the file is followed").isLessThan(end);
                Thread.sleep(200);
            }
        }
    }

    @Test
    void runtimeRulesReachARunningSandbox() {
        try (Installation installation = Installation.start(Account.available().getLast())) {
            installation.create("{\"name\":\"lab\",\"persistent\":true}");
            String rule = "{\"id\":\"no-marks\",\"on\":\"process.exec\","
                    + "\"condition\":\"process.exec.command.contains(\\\"mark\\\")\",\"decision\":\"block\"}";
            assertThat(status(installation)).isEqualTo(200);

            JsonNode added = installation.post("/enforcement", rule).expect(200).json();
            assertThat(added.path("propagation").path("failed_session_count").asInt())
                    .isZero();
            assertThat(status(installation)).isNotEqualTo(200);
            assertThat(installation
                            .get("/enforcement/stats")
                            .expect(200)
                            .json()
                            .path("rules")
                            .get(0)
                            .path("match_count")
                            .asInt())
                    .isEqualTo(1);
            JsonNode past = installation
                    .post("/enforcement/backtest", "{\"rule\":" + rule + ",\"sandbox\":\"lab\"}")
                    .expect(200)
                    .json();
            assertThat(past.path("total_matches").asInt()).isPositive();

            installation.delete("/enforcement/no-marks").expect(200);
            assertThat(status(installation)).isEqualTo(200);
        }
    }
}
