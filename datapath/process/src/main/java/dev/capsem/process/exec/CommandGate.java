package dev.capsem.process.exec;

import dev.capsem.events.security.Answer;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.wire.ipc.ProcessMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/// Asks the rules, and where they say so a person, before a command runs.
public final class CommandGate {
    /// How long a command waits for the session's rules to be there; then it is blocked.
    static final Duration RULES_WAIT_MAX = Duration.ofSeconds(30);

    private static final int SHOWN_MAX = 3;

    private final CompletableFuture<?> ready;
    private final SecurityGate rules;
    private final ApprovalDesk desk;
    private final Supplier<Optional<String>> problem;

    /// @param ready done when the session's rules were read, whatever came of it
    /// @param problem why no rules are in force
    public CommandGate(
            CompletableFuture<?> ready, SecurityGate rules, ApprovalDesk desk, Supplier<Optional<String>> problem) {
        this.ready = ready;
        this.rules = rules;
        this.desk = desk;
        this.problem = problem;
    }

    /// What the rules say; allowed, blocked or to be asked.
    Evaluation evaluate(ProcessExec command) throws InterruptedException {
        try {
            ready.get(RULES_WAIT_MAX.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return Evaluation.blocked(
                    BlockCause.NO_RULES,
                    "the session's rules were not read within " + RULES_WAIT_MAX.toSeconds() + " seconds");
        } catch (ExecutionException | CancellationException e) {
            return Evaluation.blocked(BlockCause.NO_RULES, "the session's rules could not be read");
        }
        Evaluation evaluation = rules.evaluate(command);
        return evaluation.outcome() instanceof Evaluation.Rewritten
                // The compiler takes no such rule; should one appear nonetheless, the command must not run as it is.
                ? Evaluation.blocked(BlockCause.REWRITE_FAILED, "a command cannot be rewritten")
                : evaluation;
    }

    CompletableFuture<Answer> ask(ProcessExec command, Evaluation asked) {
        return desk.ask(command, asked);
    }

    /// What nobody answered while a command ran; empty if all was answered, or nothing asked.
    ///
    /// @param questions at that moment
    static Optional<String> unanswered(List<String> questions, ProcessExec command) {
        if (questions.isEmpty()) {
            return Optional.empty();
        }
        String more = questions.size() > SHOWN_MAX ? "; and " + (questions.size() - SHOWN_MAX) + " more" : "";
        return Optional.of("nobody answered while it ran: "
                + String.join("; ", questions.subList(0, Math.min(SHOWN_MAX, questions.size()))) + more
                + ". Start `capsem approvals --watch` and run it again, or see what would allow it: capsem rules why "
                + sandbox(command));
    }

    List<String> unanswered(Instant since) {
        return desk.unanswered(since);
    }

    private static String sandbox(ProcessExec command) {
        return command.envelope().attribution().vmId().orElse("SANDBOX");
    }

    /// What the asker is told of a command that did not run.
    ProcessMessage.Failed refusal(ProcessExec command, Evaluation blocked) {
        String sandbox = sandbox(command);
        String reason = blocked.reason().map(text -> ": " + text).orElse("");
        BlockCause cause =
                blocked.outcome() instanceof Evaluation.Blocked(BlockCause why) ? why : BlockCause.ENGINE_FAILURE;
        String why = "see why, and what would allow it: capsem rules why " + sandbox;
        return switch (cause) {
            case RULE -> failed(rule(blocked) + " blocks this command" + reason, why);
            case NOT_APPROVED ->
                failed(
                        rule(blocked) + " asks a person before this command" + reason,
                        "answer it next time (capsem approvals --watch), or allow it: capsem rules why " + sandbox
                                + " --toml | capsem rules add -");
            case NO_RULES ->
                failed(
                        "every command is blocked" + reason
                                + problem.get().map(text -> " (" + text + ")").orElse(""),
                        ready.isDone()
                                ? "correct the profile (capsem profiles validate) and reload it"
                                : "this machine is busy: run the command again");
            case NO_RULE_MATCHED,
                    RULE_FAILED,
                    BUDGET_EXCEEDED,
                    BODY_TOO_LARGE,
                    BODY_UNREAD,
                    INSPECTION_FULL,
                    REWRITE_FAILED,
                    TOOL_GONE,
                    TOOL_CHANGED,
                    SERVER_AWAY,
                    PRIVATE_ADDRESS,
                    UNSUPPORTED,
                    MALFORMED_TRAFFIC,
                    AMBIGUOUS_PATH,
                    AMBIGUOUS_BODY,
                    ENGINE_FAILURE -> failed("this command is blocked" + reason, why);
        };
    }

    private static String rule(Evaluation blocked) {
        return blocked.rule().map(RuleId::value).orElse("a rule");
    }

    private static ProcessMessage.Failed failed(String cause, String remedy) {
        return new ProcessMessage.Failed("blocked", cause, remedy);
    }
}
