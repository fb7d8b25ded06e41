package dev.capsem.cli.project;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyReply.PathProblem;
import java.util.List;
import org.junit.jupiter.api.Test;

class ApplyCommandTest {
    private final CliHarness cli = new CliHarness();

    @Test
    void printsWhatWasAppliedAndWhatWasHeldBack() {
        cli.service.applied = new ApplyReply(
                List.of("a.txt", "b.txt"),
                List.of(),
                List.of(new PathProblem(".git/hooks/x", "git would run it", "name it: capsem apply ID .git/hooks/x")),
                List.of());

        Outcome outcome = cli.run("apply", "lab", "a.txt", "b.txt", ".git");

        assertThat(outcome).isEqualTo(new Outcome(0, "a.txt\nb.txt\n", """
                capsem: applied 2 paths
                capsem: held back:
                  .git/hooks/x: git would run it
                    → name it: capsem apply lab .git/hooks/x
                """));
        assertThat(cli.service.calls).containsExactly("apply lab [a.txt, b.txt, .git]");
    }

    @Test
    void aRefusalNamesEveryPathAndItsRemedy() {
        cli.service.applied = new ApplyReply(
                List.of(),
                List.of(
                        new PathProblem("a.txt", "changed in the original", "--force overwrites it"),
                        new PathProblem("b.txt", "appeared in the original", "")),
                List.of(),
                List.of());

        Outcome outcome = cli.run("apply", "lab");

        assertThat(outcome).isEqualTo(new Outcome(1, "", """
                capsem: nothing was applied, because of 2 paths:
                  a.txt: changed in the original
                    → --force overwrites it
                  b.txt: appeared in the original
                """));
    }

    @Test
    void forceIsPassedOn() {
        cli.run("apply", "lab", "--force");

        assertThat(cli.service.calls).containsExactly("apply lab [] force");
    }
}
