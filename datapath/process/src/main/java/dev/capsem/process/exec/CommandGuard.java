package dev.capsem.process.exec;

import dev.capsem.events.security.Answer;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.command.CommandInput;
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

/// The rules of commands and the people behind them, as a [CommandShell] reaches them.
public final class CommandGuard {
    /// How long a command waits for the session's rules to be there; then it is blocked.
    static final Duration RULES_WAIT_MAX = Duration.ofSeconds(30);

    private final CompletableFuture<?> ready;
    private final SecurityGate rules;
    private final ApprovalDesk desk;
    private final Supplier<Optional<String>> problem;

    /// @param ready done when the session's rules were read, whatever came of it
    /// @param problem why no rules are in force
    public CommandGuard(
            CompletableFuture<?> ready, SecurityGate rules, ApprovalDesk desk, Supplier<Optional<String>> problem) {
        this.ready = ready;
        this.rules = rules;
        this.desk = desk;
        this.problem = problem;
    }

    Judge judge() {
        return new Judge(rules);
    }

    /// Waits until the rules were read.
    CommandInput await() throws InterruptedException {
        try {
            ready.get(RULES_WAIT_MAX.toNanos(), TimeUnit.NANOSECONDS);
            return new CommandInput.RulesRead(problem.get());
        } catch (TimeoutException e) {
            return new CommandInput.RulesMissing(
                    "the session's rules were not read within " + RULES_WAIT_MAX.toSeconds() + " seconds",
                    true,
                    problem.get());
        } catch (ExecutionException | CancellationException e) {
            return new CommandInput.RulesMissing("the session's rules could not be read", false, problem.get());
        }
    }

    CompletableFuture<Answer> ask(ProcessExec command, Evaluation question) {
        return desk.ask(command, question);
    }

    List<String> unanswered(Instant since) {
        return desk.unanswered(since);
    }
}
