package dev.capsem.cli.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CommandTable;
import dev.capsem.cli.command.CommandEntry;
import dev.capsem.wire.json.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostCommandsTest {
    private final CliHarness cli = new CliHarness();

    @Test
    void versionIsThatOfTheBuild() {
        assertThat(cli.run("version").out()).matches("capsem \\d+\\.\\d+\\.\\d+.*\n");
        assertThat(cli.run("--version").out()).isEqualTo(cli.run("version").out());
    }

    @Test
    void serviceStatusNeverStartsIt() {
        cli.service.running = false;

        assertThat(cli.run("service", "status").exitCode()).isEqualTo(1);
        assertThat(cli.run("service", "status", "--json").out()).isEqualTo("{\"running\":false}\n");
        assertThat(cli.service.running).isFalse();
    }

    @Test
    void serviceStartAndStopAreIdempotent() {
        cli.service.running = false;

        assertThat(cli.run("service", "start").out()).isEqualTo("the service runs, pid 4711\n");
        assertThat(cli.run("service", "start").out()).isEqualTo("the service already runs, pid 4711\n");
        assertThat(cli.run("service", "stop").exitCode()).isZero();
        assertThat(cli.run("service", "stop").exitCode()).isZero();
        assertThat(cli.service.calls).containsExactly("shutdown");
    }

    @Test
    void theDashboardsLinkIsPrintedAndStaysOnUntilTold() {
        cli.service.answers.put(
                "POST /ui", "{\"enabled\":true,\"url\":\"http://c:1\",\"link\":\"http://c:1/login?token=t\"}");
        cli.service.answers.put("DELETE /ui", "{\"enabled\":false}");

        assertThat(cli.run("ui", "--no-open", "--port", "1").out()).isEqualTo("http://c:1/login?token=t\n");
        assertThat(cli.run("ui", "--sign-out").exitCode()).isZero();
        assertThat(cli.run("ui", "--off").out()).isEqualTo("the dashboard is off\n");
        assertThat(cli.service.bodies.stream().map(Json::text))
                .containsExactly("{\"sign_out\":false,\"port\":1}", "{\"sign_out\":true}");
    }

    @Test
    void serviceNeedsToKnowWhat() {
        assertThat(cli.run("service").exitCode()).isEqualTo(2);
        assertThat(cli.run("service", "restart").exitCode()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    void completionsKnowEveryCommandAndOption(String shell) {
        String script = cli.run("completions", shell).out();

        for (CommandEntry entry : CommandTable.ENTRIES) {
            assertThat(script).as(shell).contains(entry.lastWord());
            entry.family().ifPresent(family -> assertThat(script).as(shell).contains(family));
        }
        assertThat(script).contains("workspace").contains("capsem list -q").contains("capsem profiles list -q");
    }

    @Test
    void benchSaysWhenItWasNotBuilt() {
        assertThat(cli.run("bench").err()).contains("capsem-bench").contains("./capsem build");
    }
}
