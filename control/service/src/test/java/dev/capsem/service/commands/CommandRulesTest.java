package dev.capsem.service.commands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/// Which commands may be sent to a sandbox, and how much of their output is kept.
class CommandRulesTest {
    private static void refused(ServiceProblem.Code code, ThrowingCallable asking) {
        assertThatThrownBy(asking).isInstanceOfSatisfying(ServiceProblem.class, refusal -> {
            assertThat(refusal.code()).isEqualTo(code);
            assertThat(refusal.remedy()).isNotBlank();
        });
    }

    private static ServiceMessage.Exec command(ExecRequest request) {
        return CommandRules.check(request, Optional.empty(), false, 10);
    }

    @Test
    void shellLinesGoToAShellAndWordsDoNot() {
        assertThat(command(ExecRequest.shell("echo $A")).command()).isEqualTo(new ExecRequest.Command.Shell("echo $A"));
        assertThat(command(ExecRequest.shell("echo $A")).command().argv()).containsExactly("/bin/sh", "-c", "echo $A");
        assertThat(command(ExecRequest.argv(List.of("echo", "$A"))).command().argv())
                .containsExactly("echo", "$A");
        assertThat(command(ExecRequest.shell("x")).source()).isEqualTo("api");
    }

    @Test
    void commandsWithNulOrNothingInThemAreRefused() {
        refused(ServiceProblem.Code.BAD_COMMAND, () -> command(ExecRequest.shell("echo \0")));
        refused(ServiceProblem.Code.BAD_COMMAND, () -> command(ExecRequest.argv(List.of("echo", "\0"))));
        refused(ServiceProblem.Code.BAD_COMMAND, () -> command(ExecRequest.shell(" ")));
        refused(ServiceProblem.Code.BAD_COMMAND, () -> command(ExecRequest.argv(List.of("", "x"))));
        refused(
                ServiceProblem.Code.BAD_COMMAND,
                () -> command(ExecRequest.shell("x".repeat(CommandRules.COMMAND_BYTES_MAX))));
        refused(
                ServiceProblem.Code.BAD_COMMAND,
                () -> command(ExecRequest.shell("x").withCwd("relative")));
        refused(
                ServiceProblem.Code.BAD_COMMAND,
                () -> command(ExecRequest.shell("x").withSource("mars")));
    }

    @Test
    void timeoutsArePositive() {
        for (int bad : List.of(-1, 0, CommandRules.TIMEOUT_SECS_MAX + 1)) {
            refused(ServiceProblem.Code.BAD_LIMIT, () -> command(timed(bad)));
        }
        assertThat(command(timed(5)).timeout()).contains(Duration.ofSeconds(5));
    }

    private static ExecRequest timed(int seconds) {
        return new ExecRequest(
                new ExecRequest.Command.Shell("x"),
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                Optional.of(seconds),
                Optional.empty());
    }

    @Test
    void keptOutputStopsAtItsCapsButCountsNothingAway() {
        KeptOutput.Budget budget = new KeptOutput.Budget(10);
        try (KeptOutput first = new KeptOutput(budget)) {
            first.add(new ExecEvent.Stdout(new byte[8]));
            try (KeptOutput second = new KeptOutput(budget)) {
                second.add(new ExecEvent.Stderr(new byte[8]));

                assertThat(first.isShortOf(8, 0)).isFalse();
                assertThat(second.isShortOf(0, 8)).isTrue();
            }
        }
        try (KeptOutput third = new KeptOutput(budget)) {
            third.add(new ExecEvent.Stdout(new byte[10]));

            assertThat(third.isShortOf(10, 0)).isFalse();
        }
    }
}
