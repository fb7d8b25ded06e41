package dev.capsem.exchange;

import dev.capsem.events.row.Finding;
import dev.capsem.events.row.Step;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.vocabulary.StepKind;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Asks the rules, and tells when a person must be asked, on behalf of one exchange. It holds at most one open
/// question. An exchange goes on only with a [Ruling.Settled] whose outcome is allowed or rewritten.
///
/// Not safe for several threads: an exchange has one at a time.
public final class Judge {
    /// The name of the refuser where no person refused.
    private static final String CAPSEM = "capsem";

    /// The next step of the exchange.
    public sealed interface Ruling {
        /// The final word. Its outcome is never [Evaluation.Asked].
        record Settled(Evaluation evaluation) implements Ruling {}

        /// The exchange waits until [#answered] or [#refused] settles the question.
        ///
        /// @param event what a person is shown; it may know more than the event that was judged
        record Asks(SecurityEvent event, Evaluation question) implements Ruling {}
    }

    private final SecurityGate gate;
    private final Function<String, Optional<InetAddress>> known;

    private Ruling.@Nullable Asks open;

    /// The address inside this host or its networks that a person has seen and approved.
    private Optional<InetAddress> approved = Optional.empty();

    public Judge(SecurityGate gate) {
        this(gate, host -> Optional.empty());
    }

    /// @param known the address of a host name, if this host knows it without a query
    public Judge(SecurityGate gate, Function<String, Optional<InetAddress>> known) {
        this.gate = gate;
        this.known = known;
    }

    /// An address that a person has approved before, for another judge.
    public void seen(InetAddress address) {
        approved = Optional.of(address);
    }

    public boolean needsBody(SecurityEvent event) {
        return gate.needsBody(event);
    }

    public boolean needsAddress() {
        return gate.needsAddress();
    }

    /// Requires: no question is open.
    public Ruling judge(SecurityEvent event) {
        Evaluation evaluation = gate.evaluate(event);
        return ruling(evaluation.outcome() instanceof Evaluation.Asked ? foreseen(event) : event, evaluation);
    }

    /// The evaluation by the rules, for an exchange that has an answer of its own to a question and never waits.
    public Evaluation look(SecurityEvent event) {
        return gate.evaluate(event);
    }

    /// The word on an event that cannot wait: a question counts as refused.
    ///
    /// @param reason why it cannot wait
    public Evaluation judgeAtOnce(SecurityEvent event, String reason) {
        Evaluation evaluation = gate.evaluate(event);
        return evaluation.outcome() instanceof Evaluation.Asked
                ? evaluation.answered(new Answer.Refused(Answer.Cause.NO_APPROVER, reason, CAPSEM))
                : evaluation;
    }

    /// A question about an event that no rule asked about.
    ///
    /// Requires: the outcome of the question is [Evaluation.Asked], and no question is open.
    public Ruling.Asks ask(SecurityEvent event, Evaluation question) {
        if (open != null) {
            throw new IllegalStateException("one question at a time");
        }
        Ruling.Asks asks = new Ruling.Asks(event, question);
        open = asks;
        return asks;
    }

    /// A person is shown the address as well, if it is known. A name that only resolvers know is sent to them only
    /// after it is approved.
    private SecurityEvent foreseen(SecurityEvent event) {
        return event instanceof SecurityEvent.HttpRequest request
                        && request.address().isEmpty()
                ? known.apply(request.host())
                        .map(request::withAddress)
                        .filter(SecurityEvent.HttpRequest::leadsInside)
                        .orElse(request)
                : event;
    }

    /// Judges an event again that has its address now. The same rule does not ask a person twice, except about an
    /// address inside that they have not seen. A rule that changed the event may find nothing left to change.
    ///
    /// @param first the evaluation before the address was known
    public Ruling judgeAgain(SecurityEvent event, Evaluation first) {
        Evaluation evaluation = gate.evaluate(event);
        boolean isAskedAgain = evaluation.outcome() instanceof Evaluation.Asked
                && first.outcome() instanceof Evaluation.Allowed
                && evaluation.rule().equals(first.rule());
        if (event instanceof SecurityEvent.HttpRequest request
                && request.leadsInside()
                && isOfAPerson(first)
                && (isAskedAgain || isUnspokenOf(evaluation))) {
            return judgeInside(request, evaluation, first);
        }
        boolean wasChanged = evaluation.outcome() instanceof Evaluation.Blocked(BlockCause cause)
                && cause == BlockCause.REWRITE_FAILED
                && first.outcome() instanceof Evaluation.Rewritten
                && evaluation.rule().equals(first.rule());
        return isAskedAgain || wasChanged
                ? new Ruling.Settled(allowed(evaluation, evaluation.rule(), evaluation.reason()))
                : ruling(event, evaluation);
    }

    private static boolean isOfAPerson(Evaluation first) {
        return first.outcome() instanceof Evaluation.Allowed
                && first.steps().stream().anyMatch(step -> step.kind() == StepKind.CONFIRM);
    }

    /// No rule speaks of such addresses. A rule that blocks them is obeyed, whatever a person said of the name.
    private static boolean isUnspokenOf(Evaluation evaluation) {
        return evaluation.outcome() instanceof Evaluation.Blocked(BlockCause cause)
                && cause == BlockCause.PRIVATE_ADDRESS;
    }

    /// A person approved a name that leads inside. The approval holds for the address that they have seen; a person is
    /// asked about any other, so that nobody opens their own network by a name alone.
    private Ruling judgeInside(SecurityEvent.HttpRequest request, Evaluation evaluation, Evaluation first) {
        if (request.address().equals(approved)) {
            return new Ruling.Settled(allowed(evaluation, first.rule(), first.reason()));
        }
        String reason = "it leads to " + request.addressText().orElseThrow() + " ("
                + request.addressClass().orElseThrow() + "), inside this host or its networks";
        return ask(
                request,
                evaluation.with(
                        new Evaluation.Asked(),
                        first.rule(),
                        Optional.of(reason),
                        isUnspokenOf(evaluation) ? List.of() : evaluation.steps()));
    }

    private static Evaluation allowed(Evaluation second, Optional<RuleId> rule, Optional<String> reason) {
        return second.with(new Evaluation.Allowed(), rule, reason, List.of());
    }

    private Ruling ruling(SecurityEvent event, Evaluation evaluation) {
        return evaluation.outcome() instanceof Evaluation.Asked
                ? ask(event, evaluation)
                : new Ruling.Settled(evaluation);
    }

    public boolean isAsking() {
        return open != null;
    }

    /// Settles the open question.
    public Evaluation answered(Answer answer) {
        Ruling.Asks asked = taken();
        if (answer instanceof Answer.Approved
                && asked.event() instanceof SecurityEvent.HttpRequest request
                && request.leadsInside()) {
            approved = request.address();
        }
        return asked.question().answered(answer);
    }

    /// Settles the open question with a block, because no answer will come or nobody waits for it.
    public Evaluation refused(Answer.Cause cause, String reason) {
        return taken().question().answered(new Answer.Refused(cause, reason, CAPSEM));
    }

    /// Settles the open question with what came of waiting for it.
    public Evaluation settled(Awaited awaited) {
        return switch (awaited) {
            case Awaited.Answered(Answer answer) -> answered(answer);
            case Awaited.Cancelled _ -> refused(Answer.Cause.WITHDRAWN, "the request was cancelled");
            case Awaited.TooLate(Duration patience) -> {
                Optional<String> why =
                        open == null ? Optional.empty() : open.question().reason();
                yield refused(
                        Answer.Cause.TIMED_OUT,
                        why.map(text -> text + "; ").orElse("") + "nobody answered within " + patience.toSeconds()
                                + " s");
            }
            case Awaited.Failed _ -> refused(Answer.Cause.NO_APPROVER, "the approval service is not available");
        };
    }

    /// The word on an event that leads nowhere, whatever the rules say: nobody is asked, and findings stay.
    public Evaluation judgeNothing(SecurityEvent event, String reason) {
        Evaluation evaluation = gate.evaluate(event);
        return evaluation.with(new Evaluation.Allowed(), Optional.empty(), Optional.of(reason), evaluation.steps());
    }

    private Ruling.Asks taken() {
        Ruling.Asks asked = open;
        if (asked == null) {
            throw new IllegalStateException("no question is open");
        }
        open = null;
        return asked;
    }

    /// The sum of two evaluations of one event. A rewrite that the second let pass is still a rewrite. The steps of the
    /// deciding one come first: readers of the record take the first rule there for the one that decided.
    public static Evaluation together(Evaluation first, Evaluation second) {
        boolean keepsFirst = second.outcome() instanceof Evaluation.Allowed;
        List<Step> steps = new ArrayList<>(keepsFirst ? first.steps() : second.steps());
        for (Step step : (keepsFirst ? second : first).steps()) {
            if (!steps.contains(step)) {
                steps.add(step);
            }
        }
        List<Finding> findings = new ArrayList<>(first.findings());
        for (Finding found : second.findings()) {
            if (findings.stream().noneMatch(seen -> seen.ruleId().equals(found.ruleId()))) {
                findings.add(found);
            }
        }
        Evaluation deciding = keepsFirst ? first : second;
        return deciding.with(deciding.outcome(), deciding.rule(), deciding.reason(), steps)
                .withFindings(findings);
    }
}
