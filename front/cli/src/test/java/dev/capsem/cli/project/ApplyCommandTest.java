package dev.capsem.cli.project;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.cli.CliHarness;
import dev.capsem.cli.CliHarness.Outcome;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyReply.PathProblem;
import dev.capsem.wire.service.DiffReply;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ApplyCommandTest {
    private final CliHarness cli = new CliHarness();

    @Test
    void printsWhatWasAppliedAndWhatWasHeldBack() {
        cli.service.applied = new ApplyReply(
                List.of("a.txt", "b.txt"),
                List.of(),
                List.of(
                        new PathProblem("Makefile", "an entry point", "name it: capsem apply ID Makefile"),
                        new PathProblem("my dir/.envrc", "tools run it", "name it"),
                        new PathProblem("pipe", "a FIFO", "make it yourself, not with capsem apply ID")),
                List.of(),
                List.of(),
                List.of(),
                Optional.empty(),
                0,
                List.of("Makefile", "my dir/.envrc"));

        Outcome outcome = cli.run("apply", "lab", "a.txt", "b.txt", ".git");

        assertThat(outcome).isEqualTo(new Outcome(0, "a.txt\nb.txt\n", """
                capsem: applied 2 paths
                capsem: your tools may run these, so apply brings them only by name:
                  Makefile: an entry point
                  my dir/.envrc: tools run it
                  see them    capsem diff lab Makefile 'my dir/.envrc'
                  bring them  capsem apply lab Makefile 'my dir/.envrc'
                capsem: left out:
                  pipe: a FIFO
                    → make it yourself, not with capsem apply lab
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

    @Test
    void theDigestIsPassedOn() {
        cli.run("apply", "lab", "a.txt", "--as", "c0ffee");

        assertThat(cli.service.calls).containsExactly("apply lab [a.txt] as c0ffee");
    }

    @Test
    void commitsAloneHaveNoDigest() {
        Outcome outcome = cli.run("apply", "lab", "--commits", "--as", "c0ffee");

        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("leave out");
        assertThat(cli.service.calls).isEmpty();
    }

    @Test
    void diffShowsWhatToolsMayRunAndHowToBringBackWhatWasRead() {
        cli.service.diff = new DiffReply(
                "/p",
                List.of(new DiffReply.Change("Makefile", "modified", 1, 0, Optional.empty())),
                "+x\n",
                false,
                0,
                0,
                List.of(),
                List.of(new PathProblem("Makefile", "an entry point", "name it")),
                List.of("Makefile"),
                "c0ffee");

        Outcome outcome = cli.run("diff", "lab", "--ignored", ".");

        assertThat(outcome.err()).isEqualTo("""
                1 file changed, +1 −0
                capsem: your tools may run these, so apply brings them only by name:
                  Makefile: an entry point
                  see them    capsem diff lab Makefile
                  bring them  capsem apply lab Makefile
                to bring back exactly this: capsem apply lab . --ignored --as c0ffee
                """);
    }
}
