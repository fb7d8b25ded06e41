package dev.capsem.cli.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.testkit.service.FakeService;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.LogsReply;
import org.junit.jupiter.api.Test;

class LogsCommandTest {
    private final CliHarness cli = new CliHarness();

    @Test
    void printsConsoleThenProcess() {
        cli.service.logs = new LogsReply("boot 1\nboot 2\n", "process 1\nprocess 2", "");

        assertThat(cli.run("logs", "lab").out()).isEqualTo("boot 1\nboot 2\nprocess 1\nprocess 2\n");
        assertThat(cli.run("logs", "lab", "--tail", "1").out()).isEqualTo("boot 2\nprocess 2\n");
        assertThat(cli.run("logs", "lab", "--serial").out()).isEqualTo("boot 1\nboot 2\n");
        assertThat(cli.run("logs", "lab", "--process", "--tail", "9").out()).isEqualTo("process 1\nprocess 2\n");
    }

    @Test
    void filtersBeforeItCuts() {
        cli.service.logs = new LogsReply("Boot 1\nother\nboot 2\n", "process\n", "Boot event\nother event\n");

        assertThat(cli.run("logs", "lab", "--grep", "BOOT", "--tail", "1").out())
                .isEqualTo("boot 2\n");
        assertThat(cli.run("logs", "lab", "--security").out()).isEqualTo("Boot event\nother event\n");
        assertThat(Json.parse(cli.run("logs", "lab", "--grep", "other", "--json")
                                .out())
                        .path("security_logs")
                        .asString())
                .isEqualTo("other event\n");
    }

    @Test
    void showsTheLogOfAProgramOnThisHost() {
        cli.service.answers.put("GET /host-logs/process?max_bytes=1048576", "one\ntwo\n");

        assertThat(cli.run("logs", "--host", "process", "--tail", "1").out()).isEqualTo("two\n");
        assertThat(cli.run("logs", "lab", "--host", "process").exitCode()).isEqualTo(2);
    }

    @Test
    void followingASandboxThatEndedEnds() {
        cli.service.sandboxes.add(FakeService.sandbox("old", "Stopped"));
        cli.service.logs = new LogsReply("boot\n", "process\n", "");

        Outcome outcome = cli.run("logs", "old", "--follow");

        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out()).isEqualTo("boot\nprocess\n");
    }

    @Test
    void growthIsWhatWasAdded() {
        assertThat(LogGrowth.since("", "a\n")).isEqualTo("a\n");
        assertThat(LogGrowth.since("a\n", "a\n")).isEmpty();
        assertThat(LogGrowth.since("a\n", "a\nb\n")).isEqualTo("b\n");
    }

    @Test
    void growthIsFoundAfterTheBeginningWasDropped() {
        String seen = "x".repeat(1_000) + "end of what was seen\n";

        assertThat(LogGrowth.since(seen, seen.substring(500) + "new\n")).isEqualTo("new\n");
        assertThat(LogGrowth.since(seen, "all new\n")).isEqualTo("all new\n");
    }
}
