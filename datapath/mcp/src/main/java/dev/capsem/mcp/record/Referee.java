package dev.capsem.mcp.record;

import dev.capsem.events.Admission;
import dev.capsem.events.Admission.Place;
import dev.capsem.events.Correlation;
import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.ResolvedEvent;
import dev.capsem.events.Step;
import dev.capsem.events.row.Projection;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.mcp.record.ToolTrust.Standing;
import dev.capsem.wire.aggregator.CatalogEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Asks the gate, then people if the gate says so, and puts what was decided on record.
public final class Referee {
    /// Clients of MCP give a call up after sixty seconds and then hear of no reason: so a person has a little less.
    public static final Duration PATIENCE = Duration.ofSeconds(50);

    private final SecurityGate gate;
    private final ApprovalDesk approvals;
    private final EnvelopeSource envelopes;
    private final EventSink sink;
    private final ToolTrust trust;
    private final Duration patience;

    public Referee(
            SecurityGate gate, ApprovalDesk approvals, EnvelopeSource envelopes, EventSink sink, ToolTrust trust) {
        this(gate, approvals, envelopes, sink, trust, PATIENCE);
    }

    private Referee(
            SecurityGate gate,
            ApprovalDesk approvals,
            EnvelopeSource envelopes,
            EventSink sink,
            ToolTrust trust,
            Duration patience) {
        this.patience = patience;
        this.gate = gate;
        this.approvals = approvals;
        this.envelopes = envelopes;
        this.sink = sink;
        this.trust = trust;
    }

    /// The same with another limit for people's answers.
    public Referee withPatience(Duration limit) {
        return new Referee(gate, approvals, envelopes, sink, trust, limit);
    }

    /// How a tool stands, before anybody is asked about it.
    public ToolTrust.Standing standing(String backendName) {
        return trust.standing(backendName);
    }

    /// Tools as a model may read them.
    public List<CatalogEntry> shown(List<CatalogEntry> tools) {
        return trust.shown(tools);
    }

    public Envelope envelope(Correlation correlation) {
        return envelopes.inline(correlation);
    }

    /// The final word on an event: never [Evaluation.Asked]. May wait for a person, so not for event loops.
    ///
    /// @param withdrawn completes when nobody wants the answer any more; the question is then taken back
    public Evaluation judge(SecurityEvent event, CompletableFuture<?> withdrawn) throws InterruptedException {
        Evaluation evaluation = gate.evaluate(event);
        return evaluation.outcome() instanceof Evaluation.Asked ? asked(event, evaluation, withdrawn) : evaluation;
    }

    /// The word on an event that cannot wait: a question counts as refused.
    public Evaluation judgeAtOnce(SecurityEvent event) {
        Evaluation evaluation = gate.evaluate(event);
        return evaluation.outcome() instanceof Evaluation.Asked
                ? evaluation.answered(new Answer.Refused(
                        Answer.Cause.NO_APPROVER, "a notification does not wait for an answer", "capsem"))
                : evaluation;
    }

    /// The word on an event that leads nowhere, whatever the rules say: nobody is asked, and what detections saw stays.
    public Evaluation judgeNothing(SecurityEvent event, String reason) {
        Evaluation evaluation = gate.evaluate(event);
        return new Evaluation(
                new Evaluation.Allowed(),
                Optional.empty(),
                Optional.of(reason),
                evaluation.steps(),
                evaluation.findings());
    }

    /// As [#judge], and a person is asked as well if the tool is not what it was. That question names no rule: what
    /// was ever said about a rule's question answers it as little as its answer answers that one.
    public Evaluation judgeTool(SecurityEvent event, String backendName, CompletableFuture<?> withdrawn)
            throws InterruptedException {
        Evaluation evaluation = judge(event, withdrawn);
        if (evaluation.outcome() instanceof Evaluation.Blocked) {
            return evaluation;
        }
        return switch (trust.standing(backendName)) {
            case Standing.Agreed _ -> evaluation;
            case Standing.Missing _ -> gone(evaluation, BlockCause.TOOL_GONE, "the tool is not there any more");
            case Standing.Away(String reason) -> gone(evaluation, BlockCause.SERVER_AWAY, reason);
            case Standing.Doubtful doubt -> doubted(event, evaluation, backendName, doubt, withdrawn);
        };
    }

    private Evaluation doubted(
            SecurityEvent event,
            Evaluation evaluation,
            String backendName,
            Standing.Doubtful doubt,
            CompletableFuture<?> withdrawn)
            throws InterruptedException {
        List<Step> steps = new ArrayList<>(evaluation.steps());
        steps.add(new Step(
                StepKind.PREPROCESSOR,
                StepStatus.MATCHED,
                Optional.empty(),
                Optional.of("tool_pins"),
                Optional.of(doubt.reason())));
        Evaluation question = new Evaluation(
                new Evaluation.Asked(), Optional.empty(), Optional.of(doubt.reason()), steps, evaluation.findings());
        Evaluation answered = asked(event, question, withdrawn);
        if (answered.outcome() instanceof Evaluation.Blocked) {
            return answered;
        }
        trust.approved(backendName, doubt.version());
        boolean isWhatWasAskedAbout = switch (trust.standing(backendName)) {
            case Standing.Agreed _ -> true;
            case Standing.Doubtful(String version, String _) -> version.equals(doubt.version());
            case Standing.Missing _, Standing.Away _ -> false;
        };
        return isWhatWasAskedAbout
                ? new Evaluation(
                        evaluation.outcome(),
                        evaluation.rule(),
                        evaluation.reason(),
                        answered.steps(),
                        evaluation.findings())
                : gone(answered, BlockCause.TOOL_CHANGED, "the tool changed again while it was asked about");
    }

    /// Whatever was decided about it: there is nothing any more that it was decided about.
    private static Evaluation gone(Evaluation evaluation, BlockCause cause, String reason) {
        return new Evaluation(
                new Evaluation.Blocked(cause),
                Optional.empty(),
                Optional.of(reason),
                evaluation.steps(),
                evaluation.findings());
    }

    private Evaluation asked(SecurityEvent event, Evaluation question, CompletableFuture<?> withdrawn)
            throws InterruptedException {
        CompletableFuture<Answer> answer = approvals.ask(event, question);
        CompletableFuture<?> either = CompletableFuture.anyOf(answer, withdrawn);
        try {
            either.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            if (!answer.isDone()) {
                answer.cancel(false);
                return question.answered(
                        new Answer.Refused(Answer.Cause.WITHDRAWN, "the request was cancelled", "capsem"));
            }
            return question.answered(answer.get());
        } catch (TimeoutException e) {
            answer.cancel(false);
            return question.answered(new Answer.Refused(
                    Answer.Cause.TIMED_OUT,
                    question.reason().map(why -> why + "; ").orElse("") + "nobody answered within "
                            + patience.toSeconds() + " s",
                    "capsem"));
        } catch (ExecutionException e) {
            // The desk promises never to fail; if it does, nobody approved.
            return question.answered(
                    new Answer.Refused(Answer.Cause.NO_APPROVER, "approvals are out of order", "capsem"));
        } catch (InterruptedException e) {
            answer.cancel(false);
            throw e;
        }
    }

    /// Whether something new may begin. Waits some seconds at most.
    public Admission admit(EventType kind) {
        return sink.admit(kind).join();
    }

    /// As [#admit], for what must not wait.
    public Admission admitNow(EventType kind) {
        return sink.admitNow(kind);
    }

    /// False if it could not be put on record: then nothing of it may happen.
    ///
    /// @param place of its admission
    public boolean record(SecurityEvent event, Evaluation evaluation, List<Projection> rows, Place place) {
        RecordedExchange exchange = new RecordedExchange(ResolvedEvent.of(event, evaluation), rows);
        return sink.record(exchange, place) == EventSink.Receipt.ACCEPTED;
    }
}
