package dev.capsem.sandbox;

import java.time.Duration;
import java.util.List;

/// The life of one sandbox as a state machine without IO: requests, the agent and the process tree race, and
/// this is where the race is decided.
public final class SandboxLifecycle {
    private SandboxLifecycle() {}

    public sealed interface State {
        /// Launched, the agent has not said Ready yet.
        record Creating() implements State {}

        record Running() implements State {}

        /// Frozen in place.
        record Suspended() implements State {}

        /// Asked to end; processes may still run.
        record Stopping() implements State {}

        /// Over, as asked.
        record Stopped() implements State {}

        /// Over, and nobody asked for it.
        record Defunct(String reason) implements State {}

        default boolean isTerminal() {
            return switch (this) {
                case Stopped _, Defunct _ -> true;
                case Creating _, Running _, Suspended _, Stopping _ -> false;
            };
        }
    }

    public sealed interface Input {
        record AgentReady() implements Input {}

        record LaunchFailed(String reason) implements Input {}

        record SuspendRequested() implements Input {}

        record ResumeRequested() implements Input {}

        record StopRequested(Duration grace) implements Input {}

        /// The grace of a stop is over.
        record GraceElapsed() implements Input {}

        /// A connection to the agent broke, or it broke the protocol.
        record AgentLost(String reason) implements Input {}

        /// No process of the sandbox is left.
        record TreeExited(int exitCode) implements Input {}
    }

    public sealed interface Action {
        record Freeze() implements Action {}

        record Thaw() implements Action {}

        /// Ask the agent to end its processes within the grace, and start the clock that says [Input.GraceElapsed].
        record AskShutdown(Duration grace) implements Action {}

        record Destroy() implements Action {}

        /// Roll up the session and release what it holds on the host.
        record Conclude() implements Action {}

        /// Answer the request with this reason; nothing changed.
        record Refuse(String reason) implements Action {}
    }

    public record Step(State state, List<Action> actions) {
        public Step {
            actions = List.copyOf(actions);
        }

        private static Step to(State state, Action... actions) {
            return new Step(state, List.of(actions));
        }
    }

    public static Step step(State state, Input input) {
        return switch (input) {
            case Input.AgentReady _ -> ready(state);
            case Input.LaunchFailed(String reason) -> fail(state, reason);
            case Input.AgentLost(String reason) -> fail(state, reason);
            case Input.SuspendRequested _ -> suspend(state);
            case Input.ResumeRequested _ -> resume(state);
            case Input.StopRequested(Duration grace) -> stop(state, grace);
            case Input.GraceElapsed _ ->
                state instanceof State.Stopping ? Step.to(state, new Action.Destroy()) : Step.to(state);
            case Input.TreeExited(int exitCode) -> exited(state, exitCode);
        };
    }

    private static Step ready(State state) {
        return state instanceof State.Creating ? Step.to(new State.Running()) : Step.to(state);
    }

    /// The reason is kept even when the tree's exit, which follows, is seen first by somebody else.
    private static Step fail(State state, String reason) {
        return switch (state) {
            case State.Creating _, State.Running _, State.Suspended _ ->
                Step.to(new State.Defunct(reason), new Action.Destroy(), new Action.Conclude());
            case State.Stopping _ -> Step.to(state, new Action.Destroy());
            case State.Stopped _, State.Defunct _ -> Step.to(state);
        };
    }

    private static Step suspend(State state) {
        return switch (state) {
            case State.Running _ -> Step.to(new State.Suspended(), new Action.Freeze());
            case State.Suspended _ -> Step.to(state);
            case State.Creating _, State.Stopping _, State.Stopped _, State.Defunct _ -> refuse(state, "suspend");
        };
    }

    private static Step resume(State state) {
        return switch (state) {
            case State.Suspended _ -> Step.to(new State.Running(), new Action.Thaw());
            case State.Running _ -> Step.to(state);
            case State.Creating _, State.Stopping _, State.Stopped _, State.Defunct _ -> refuse(state, "resume");
        };
    }

    private static Step stop(State state, Duration grace) {
        return switch (state) {
            case State.Creating _ -> Step.to(new State.Stopping(), new Action.Destroy());
            case State.Running _ -> Step.to(new State.Stopping(), new Action.AskShutdown(grace));
            case State.Suspended _ -> Step.to(new State.Stopping(), new Action.Thaw(), new Action.AskShutdown(grace));
            case State.Stopping _, State.Stopped _, State.Defunct _ -> Step.to(state);
        };
    }

    private static Step exited(State state, int exitCode) {
        return switch (state) {
            case State.Stopping _ -> Step.to(new State.Stopped(), new Action.Conclude());
            case State.Creating _ ->
                Step.to(
                        new State.Defunct("the sandbox ended before it was ready (exit code " + exitCode + ")"),
                        new Action.Conclude());
            case State.Running _, State.Suspended _ ->
                Step.to(
                        new State.Defunct("the sandbox ended by itself (exit code " + exitCode + ")"),
                        new Action.Conclude());
            case State.Stopped _, State.Defunct _ -> Step.to(state);
        };
    }

    private static Step refuse(State state, String verb) {
        String condition = switch (state) {
            case State.Creating _ -> "is still starting";
            case State.Running _ -> "is running";
            case State.Suspended _ -> "is suspended";
            case State.Stopping _ -> "is stopping";
            case State.Stopped _ -> "is stopped";
            case State.Defunct _ -> "is defunct";
        };
        return Step.to(state, new Action.Refuse("cannot " + verb + ": the sandbox " + condition));
    }
}
