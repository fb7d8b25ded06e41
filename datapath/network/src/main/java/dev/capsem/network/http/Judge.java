package dev.capsem.network.http;

import dev.capsem.events.Finding;
import dev.capsem.events.Step;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.network.metrics.NetworkMetrics;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/// Asks the Security Engine, and a person where it says so, on behalf of one exchange.
@SuppressWarnings("FutureReturnValueIgnored")
final class Judge {
    private final SecurityGate gate;
    private final ApprovalDesk desk;
    private final NetworkMetrics metrics;
    private final EventLoop loop;
    private final Runnable onAsked;
    private final Function<String, Optional<InetAddress>> known;
    private Optional<CompletableFuture<Answer>> question = Optional.empty();

    /// The address inside that a person has seen and approved.
    private Optional<InetAddress> approved = Optional.empty();

    /// @param onAsked called on the loop after a person was asked
    /// @param known where a name leads, if this host knows it without asking anybody
    Judge(
            SecurityGate gate,
            ApprovalDesk desk,
            NetworkMetrics metrics,
            EventLoop loop,
            Runnable onAsked,
            Function<String, Optional<InetAddress>> known) {
        this.known = known;
        this.gate = gate;
        this.desk = desk;
        this.metrics = metrics;
        this.loop = loop;
        this.onAsked = onAsked;
    }

    /// An address that was approved before.
    void seen(InetAddress address) {
        approved = Optional.of(address);
    }

    boolean needsBody(SecurityEvent event) {
        return gate.needsBody(event);
    }

    boolean needsAddress() {
        return gate.needsAddress();
    }

    /// @param then told on the loop, at once unless a person is asked; the outcome is never [Evaluation.Asked]
    void judge(SecurityEvent event, Consumer<Evaluation> then) {
        Evaluation evaluation = gate.evaluate(event);
        settle(evaluation.outcome() instanceof Evaluation.Asked ? foreseen(event) : event, evaluation, then);
    }

    /// What a person is asked about: where the request leads as well, if that is known. A name that only resolvers
    /// know is not told to them before somebody has approved it.
    private SecurityEvent foreseen(SecurityEvent event) {
        return event instanceof SecurityEvent.HttpRequest request
                        && request.address().isEmpty()
                ? known.apply(request.host())
                        .map(request::withAddress)
                        .filter(SecurityEvent.HttpRequest::leadsInside)
                        .orElse(request)
                : event;
    }

    /// For an event that more is known of by now. A person who approved it is not asked again by the same rule,
    /// except about an address inside that they have not seen. A rule that changed it may find nothing left to do.
    ///
    /// @param first what was decided when less was known
    void judgeAgain(SecurityEvent event, Evaluation first, Consumer<Evaluation> then) {
        Evaluation evaluation = gate.evaluate(event);
        boolean isAskedAgain = evaluation.outcome() instanceof Evaluation.Asked
                && first.outcome() instanceof Evaluation.Allowed
                && evaluation.rule().equals(first.rule());
        if (event instanceof SecurityEvent.HttpRequest request
                && request.leadsInside()
                && isOfAPerson(first)
                && (isAskedAgain || isUnspokenOf(evaluation))) {
            judgeInside(request, evaluation, first, then);
            return;
        }
        boolean wasChanged = evaluation.outcome() instanceof Evaluation.Blocked(BlockCause cause)
                && cause == BlockCause.REWRITE_FAILED
                && first.outcome() instanceof Evaluation.Rewritten
                && evaluation.rule().equals(first.rule());
        if (isAskedAgain || wasChanged) {
            then.accept(new Evaluation(
                    new Evaluation.Allowed(),
                    evaluation.rule(),
                    evaluation.reason(),
                    List.of(),
                    evaluation.findings()));
        } else {
            settle(event, evaluation, then);
        }
    }

    private static boolean isOfAPerson(Evaluation first) {
        return first.outcome() instanceof Evaluation.Allowed
                && first.steps().stream().anyMatch(step -> step.kind() == StepKind.CONFIRM);
    }

    /// No rule says anything about such addresses; one that blocks them is obeyed, whatever a person said of the name.
    private static boolean isUnspokenOf(Evaluation evaluation) {
        return evaluation.outcome() instanceof Evaluation.Blocked(BlockCause cause)
                && cause == BlockCause.PRIVATE_ADDRESS;
    }

    /// A person approved the name, which leads inside. The approval holds for an address that they have seen; any other
    /// is asked about, so that nobody opens their own network by a name alone.
    private void judgeInside(
            SecurityEvent.HttpRequest request, Evaluation evaluation, Evaluation first, Consumer<Evaluation> then) {
        if (request.address().equals(approved)) {
            then.accept(new Evaluation(
                    new Evaluation.Allowed(), first.rule(), first.reason(), List.of(), evaluation.findings()));
            return;
        }
        String reason = "it leads to " + request.addressText().orElseThrow() + " ("
                + request.addressClass().orElseThrow() + "), inside this host or its networks";
        settle(
                request,
                new Evaluation(
                        new Evaluation.Asked(),
                        first.rule(),
                        Optional.of(reason),
                        isUnspokenOf(evaluation) ? List.of() : evaluation.steps(),
                        evaluation.findings()),
                then);
    }

    private void settle(SecurityEvent event, Evaluation evaluation, Consumer<Evaluation> then) {
        metrics.decided(evaluation.decision().wireName());
        if (!(evaluation.outcome() instanceof Evaluation.Asked)) {
            then.accept(evaluation);
            return;
        }
        CompletableFuture<Answer> asked = desk.ask(event, evaluation);
        question = Optional.of(asked);
        asked.whenCompleteAsync(
                (answer, failure) -> {
                    question = Optional.empty();
                    if (failure == null && answer != null) {
                        if (answer instanceof Answer.Approved
                                && event instanceof SecurityEvent.HttpRequest request
                                && request.leadsInside()) {
                            approved = request.address();
                        }
                        then.accept(evaluation.answered(answer));
                    } else if (!asked.isCancelled()) {
                        then.accept(evaluation.answered(new Answer.Refused(
                                Answer.Cause.NO_APPROVER, "the question could not be asked", "capsem")));
                    }
                },
                loop);
        loop.execute(onAsked);
    }

    boolean isAsking() {
        return question.isPresent();
    }

    /// Ends the question with a block, which the asker is told.
    void refuse(String reason) {
        question.ifPresent(asked -> asked.complete(new Answer.Refused(Answer.Cause.WITHDRAWN, reason, "capsem")));
    }

    /// The asker went away: nobody needs the answer.
    void withdraw() {
        question.ifPresent(asked -> asked.cancel(false));
    }

    /// What two evaluations of one event come to; a rewrite that the second let pass is still a rewrite. The steps
    /// of the one that decides come first: readers of the record take the first rule that it names for that one.
    static Evaluation together(Evaluation first, Evaluation second) {
        boolean keepsFirst = second.outcome() instanceof Evaluation.Allowed;
        List<Step> steps = new ArrayList<>(keepsFirst ? first.steps() : second.steps());
        (keepsFirst ? second : first)
                .steps().stream().filter(step -> !steps.contains(step)).forEach(steps::add);
        List<Finding> findings = new ArrayList<>(first.findings());
        second.findings().stream()
                .filter(found ->
                        findings.stream().noneMatch(seen -> seen.ruleId().equals(found.ruleId())))
                .forEach(findings::add);
        Evaluation deciding = keepsFirst ? first : second;
        return new Evaluation(deciding.outcome(), deciding.rule(), deciding.reason(), steps, findings);
    }
}
