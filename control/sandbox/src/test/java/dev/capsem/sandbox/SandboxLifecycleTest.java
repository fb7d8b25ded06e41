package dev.capsem.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.sandbox.SandboxLifecycle.Action;
import dev.capsem.sandbox.SandboxLifecycle.Input;
import dev.capsem.sandbox.SandboxLifecycle.State;
import dev.capsem.sandbox.SandboxLifecycle.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SandboxLifecycleTest {
    private static final Duration GRACE = Duration.ofSeconds(2);

    private static final List<Input> INPUTS = List.of(
            new Input.AgentReady(),
            new Input.LaunchFailed("no bwrap"),
            new Input.SuspendRequested(),
            new Input.ResumeRequested(),
            new Input.StopRequested(GRACE),
            new Input.GraceElapsed(),
            new Input.AgentLost("connection closed"),
            new Input.TreeExited(0));

    @Test
    void runsOnceTheAgentIsReady() {
        assertThat(SandboxLifecycle.step(new State.Creating(), new Input.AgentReady()))
                .isEqualTo(step(new State.Running()));
    }

    @Test
    void suspendsAndResumesInPlace() {
        assertThat(SandboxLifecycle.step(new State.Running(), new Input.SuspendRequested()))
                .isEqualTo(step(new State.Suspended(), new Action.Freeze()));
        assertThat(SandboxLifecycle.step(new State.Suspended(), new Input.ResumeRequested()))
                .isEqualTo(step(new State.Running(), new Action.Thaw()));
    }

    @Test
    void suspendingTwiceIsSuspendingOnce() {
        assertThat(SandboxLifecycle.step(new State.Suspended(), new Input.SuspendRequested()))
                .isEqualTo(step(new State.Suspended()));
        assertThat(SandboxLifecycle.step(new State.Running(), new Input.ResumeRequested()))
                .isEqualTo(step(new State.Running()));
    }

    @Test
    void refusesToSuspendWhatDoesNotRun() {
        for (State state : List.of(
                new State.Creating(), new State.Stopping(), new State.Stopped(), new State.Defunct("crashed"))) {
            Step step = SandboxLifecycle.step(state, new Input.SuspendRequested());

            assertThat(step.state()).isEqualTo(state);
            assertThat(step.actions()).singleElement().isInstanceOf(Action.Refuse.class);
        }
    }

    @Test
    void thawsBeforeItAsksASuspendedSandboxToEnd() {
        assertThat(SandboxLifecycle.step(new State.Suspended(), new Input.StopRequested(GRACE)))
                .isEqualTo(step(new State.Stopping(), new Action.Thaw(), new Action.AskShutdown(GRACE)));
    }

    @Test
    void destroysWhatOutlivesItsGrace() {
        assertThat(SandboxLifecycle.step(new State.Stopping(), new Input.GraceElapsed()))
                .isEqualTo(step(new State.Stopping(), new Action.Destroy()));
    }

    @Test
    void ignoresALateGraceClock() {
        assertThat(SandboxLifecycle.step(new State.Stopped(), new Input.GraceElapsed()))
                .isEqualTo(step(new State.Stopped()));
    }

    @Test
    void tellsAnEndThatWasAskedForFromOneThatWasNot() {
        assertThat(SandboxLifecycle.step(new State.Stopping(), new Input.TreeExited(137)))
                .isEqualTo(step(new State.Stopped(), new Action.Conclude()));

        Step unasked = SandboxLifecycle.step(new State.Running(), new Input.TreeExited(137));
        assertThat(unasked.state()).isInstanceOf(State.Defunct.class);
        assertThat(unasked.actions()).containsExactly(new Action.Conclude());
    }

    @Test
    void keepsTheFirstReasonWhenTheExitFollowsTheLostConnection() {
        Step lost = SandboxLifecycle.step(new State.Running(), new Input.AgentLost("bad frame"));
        Step exited = SandboxLifecycle.step(lost.state(), new Input.TreeExited(137));

        assertThat(lost.actions()).containsExactly(new Action.Destroy(), new Action.Conclude());
        assertThat(exited).isEqualTo(step(new State.Defunct("bad frame")));
    }

    /// Under any order of inputs: terminal is final, and a session is concluded exactly once, when it
    /// becomes terminal.
    @Test
    void concludesExactlyOnceUnderAnyOrderOfInputs() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int life = 0; life < 2_000; life++) {
            State state = new State.Creating();
            List<Action> actions = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                Step step = SandboxLifecycle.step(state, INPUTS.get(random.nextInt(INPUTS.size())));
                if (state.isTerminal()) {
                    assertThat(step.state()).as("seed %d", seed).isEqualTo(state);
                }
                state = step.state();
                actions.addAll(step.actions());
            }

            long concluded =
                    actions.stream().filter(Action.Conclude.class::isInstance).count();
            assertThat(concluded).as("seed %d", seed).isEqualTo(state.isTerminal() ? 1 : 0);
        }
    }

    private static Step step(State state, Action... actions) {
        return new Step(state, List.of(actions));
    }
}
