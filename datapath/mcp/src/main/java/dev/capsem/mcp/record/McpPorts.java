package dev.capsem.mcp.record;

import dev.capsem.events.Admission;
import dev.capsem.events.Admission.Place;
import dev.capsem.events.EventSink;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.ResolvedEvent;
import dev.capsem.events.row.Projection;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.exchange.Awaited;
import dev.capsem.exchange.Judge;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The rules, the people and the record, as exchanges on virtual threads reach them. Decides nothing.
///
/// @param patience how long a person has to answer
public record McpPorts(
        SecurityGate gate,
        ApprovalDesk approvals,
        EnvelopeSource envelopes,
        EventSink sink,
        ToolTrust trust,
        Duration patience) {
    /// Clients of MCP give a call up after sixty seconds and then hear of no reason: so a person has a little less.
    public static final Duration PATIENCE = Duration.ofSeconds(50);

    public McpPorts(
            SecurityGate gate, ApprovalDesk approvals, EnvelopeSource envelopes, EventSink sink, ToolTrust trust) {
        this(gate, approvals, envelopes, sink, trust, PATIENCE);
    }

    /// The same with another limit for people's answers.
    public McpPorts withPatience(Duration limit) {
        return new McpPorts(gate, approvals, envelopes, sink, trust, limit);
    }

    /// For one exchange.
    public Judge judge() {
        return new Judge(gate);
    }

    public Envelope envelope(Correlation correlation) {
        return envelopes.inline(correlation);
    }

    /// Waits for a person, so not for event loops. Unless they answered, the question is withdrawn.
    ///
    /// @param withdrawn completes when nobody wants the answer any more
    public Awaited asked(SecurityEvent event, Evaluation question, CompletableFuture<?> withdrawn)
            throws InterruptedException {
        CompletableFuture<Answer> answer = approvals.ask(event, question);
        try {
            CompletableFuture.anyOf(answer, withdrawn).get(patience.toMillis(), TimeUnit.MILLISECONDS);
            return answer.isDone() ? new Awaited.Answered(answer.get()) : new Awaited.Cancelled();
        } catch (TimeoutException e) {
            return new Awaited.TooLate(patience);
        } catch (ExecutionException e) {
            return new Awaited.Failed();
        } finally {
            answer.cancel(false);
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

    /// False if it could not be put on record.
    ///
    /// @param place of its admission
    public boolean record(SecurityEvent event, Evaluation evaluation, List<Projection> rows, Place place) {
        RecordedExchange exchange = new RecordedExchange(ResolvedEvent.of(event, evaluation), rows);
        return sink.record(exchange, place) == EventSink.Receipt.ACCEPTED;
    }
}
