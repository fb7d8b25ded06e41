package dev.capsem.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Small commands skip picocli; nobody may notice. `--env` is an option that only picocli knows, and means nothing to
/// the fake: with it the same words take the other way.
class PlainArgumentsTest {
    private record Seen(CliHarness.Outcome outcome, List<String> calls, String started) {}

    private static Seen run(List<String> words) {
        var cli = new CliHarness();
        cli.service.output(1, "out").exits(3);
        CliHarness.Outcome outcome = cli.run(words.toArray(String[]::new));
        String started = cli.service
                .started
                .map(start -> start.exec().command().toString())
                .orElse("");
        return new Seen(outcome, cli.service.calls, started);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "exec lab ls -l --json",
                "exec lab -- ls -- -l",
                "exec -q lab true",
                "exec lab @file",
                "run ls -q",
                "run -- --odd-name x",
                "run -q -- true",
            })
    void guestCommandsAreReadAlikeBothWays(String line) {
        List<String> plain = List.of(line.split(" "));
        var other = new ArrayList<>(plain);
        other.addAll(1, List.of("--env", "A=b"));

        assertThat(run(plain)).isEqualTo(run(other));
    }

    @ParameterizedTest
    @ValueSource(strings = {"stop lab lab-2", "rm -q lab", "suspend lab", "resume lab --json", "verify lab -q"})
    void wordsAfterTheSeparatorAreReadAlike(String line) {
        List<String> words = List.of(line.split(" "));
        var separated = new ArrayList<String>(List.of(words.getFirst()));
        words.stream().filter(word -> word.startsWith("-")).forEach(separated::add);
        separated.add("--");
        words.stream().skip(1).filter(word -> !word.startsWith("-")).forEach(separated::add);

        assertThat(run(words)).isEqualTo(run(separated));
    }

    @ParameterizedTest
    @ValueSource(strings = {"exec lab", "exec", "run", "info", "stop", "suspend a b", "list extra", "version extra"})
    void whatIsMissingOrTooMuchIsAUsageMistake(String line) {
        assertThat(run(List.of(line.split(" "))).outcome().exitCode()).isEqualTo(2);
    }
}
