package dev.capsem.events;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.Finding;
import dev.capsem.events.row.Link;
import dev.capsem.events.row.Row;
import dev.capsem.events.row.RowShape;
import dev.capsem.events.row.RowValues;
import dev.capsem.events.row.Step;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.Enforceability;
import dev.capsem.events.vocabulary.EventFamily;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.FinalAction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// An event after everything was decided about it: what it was, whose, what became of it and through which steps.
/// The unit of evidence, and a link of the session's hash chain.
public record ResolvedEvent(
        EventId id,
        Instant at,
        EventType type,
        Judgement judgement,
        Attribution attribution,
        Correlation correlation,
        ProcessFacts process,
        int labelCount,
        int mutationCount,
        List<Step> steps,
        List<Finding> findings,
        List<Link> links,
        About about)
        implements Row {
    public static final RowShape SHAPE = RowShape.of(
                    "security_events",
                    "event_id",
                    "timestamp",
                    "timestamp_unix_ms",
                    "event_family",
                    "event_type",
                    "source_engine",
                    "final_action",
                    "enforceability",
                    "attribution_scope",
                    "origin_kind",
                    "accounting_owner",
                    "trace_id",
                    "span_id",
                    "parent_event_id",
                    "stream_id",
                    "activity_id",
                    "sequence_no",
                    "vm_id",
                    "session_id",
                    "profile_id",
                    "profile_revision",
                    "user_id",
                    "process_id",
                    "parent_process_id",
                    "exec_id",
                    "turn_id",
                    "message_id",
                    "tool_call_id",
                    "mcp_call_id",
                    "redaction_state",
                    "process_operation",
                    "process_command_class",
                    "label_count",
                    "mutation_count",
                    "finding_count",
                    About.SUBJECT_COLUMN,
                    About.REASON_COLUMN,
                    About.CALLER_PATH_COLUMN,
                    About.CALLER_SCRIPT_COLUMN)
            .adding(About.SUBJECT_COLUMN, About.REASON_COLUMN, About.CALLER_PATH_COLUMN, About.CALLER_SCRIPT_COLUMN);

    public ResolvedEvent {
        steps = List.copyOf(steps);
        findings = List.copyOf(findings);
        links = List.copyOf(links);
        if (labelCount < 0 || mutationCount < 0) {
            throw new IllegalArgumentException("counts of labels and mutations are not negative");
        }
    }

    /// An event that no stage of the engine touched.
    public static ResolvedEvent plain(
            EventId id,
            Instant at,
            EventType type,
            Judgement judgement,
            Attribution attribution,
            Correlation correlation) {
        return new ResolvedEvent(
                id,
                at,
                type,
                judgement,
                attribution,
                correlation,
                ProcessFacts.NONE,
                0,
                0,
                List.of(),
                List.of(),
                List.of(),
                About.NOTHING);
    }

    /// What became of an event that the engine judged. What was only observed had already happened, whatever the rules
    /// say of it. Names the revision whose rules decided, which may be newer than the event.
    public static ResolvedEvent of(SecurityEvent event, Evaluation evaluation) {
        Envelope envelope = event.envelope();
        return new ResolvedEvent(
                envelope.id(),
                envelope.at(),
                event.type(),
                new Judgement(
                        event.sourceEngine(),
                        envelope.enforceability() == Enforceability.OBSERVE_ONLY
                                ? FinalAction.OBSERVE_ONLY
                                : evaluation.finalAction(),
                        envelope.enforceability(),
                        envelope.redactionState()),
                evaluation.revision().map(envelope.attribution()::withRevision).orElse(envelope.attribution()),
                envelope.correlation(),
                ProcessFacts.NONE,
                0,
                evaluation.mutations().size(),
                steps(event, evaluation),
                evaluation.findings(),
                List.of(),
                About.of(event, evaluation));
    }

    /// An address that was judged is part of the evidence: without it nobody can tell later why a rule matched.
    private static List<Step> steps(SecurityEvent event, Evaluation evaluation) {
        Optional<String> address = switch (event) {
            case SecurityEvent.HttpRequest request -> request.addressText();
            case SecurityEvent.HttpResponse response -> response.request().addressText();
            default -> Optional.empty();
        };
        if (address.isEmpty()) {
            return evaluation.steps();
        }
        List<Step> steps = new ArrayList<>();
        steps.add(Step.ledTo(address.get()));
        steps.addAll(evaluation.steps());
        return steps;
    }

    public ResolvedEvent withProcess(ProcessFacts facts) {
        return with(correlation, facts, steps, findings, about);
    }

    public ResolvedEvent withCorrelation(Correlation changed) {
        return with(changed, process, steps, findings, about);
    }

    public ResolvedEvent withSteps(List<Step> taken) {
        return with(correlation, process, taken, findings, about);
    }

    public ResolvedEvent withFindings(List<Finding> found) {
        return with(correlation, process, steps, found, about);
    }

    /// Why it happened, in words, for an event that nobody judged.
    public ResolvedEvent withReason(String reason) {
        return with(correlation, process, steps, findings, about.withReason(reason));
    }

    private ResolvedEvent with(
            Correlation belonging, ProcessFacts facts, List<Step> taken, List<Finding> found, About subject) {
        return new ResolvedEvent(
                id,
                at,
                type,
                judgement,
                attribution,
                belonging,
                facts,
                labelCount,
                mutationCount,
                taken,
                found,
                links,
                subject);
    }

    /// Whether it says what the host did with the sandbox as a whole.
    public boolean isLifecycle() {
        return type.family() == EventFamily.VM;
    }

    /// Whether more became of it than that it went on or was seen: blocked, asked about, rewritten, failed.
    public boolean isActedOn() {
        return judgement.finalAction() != FinalAction.CONTINUE && judgement.finalAction() != FinalAction.OBSERVE_ONLY;
    }

    /// Whether it was only seen inside the sandbox, nobody waited for our word, and no detection found anything in it.
    /// A full queue may cost us nothing else.
    public boolean isObservation() {
        return judgement.finalAction() == FinalAction.OBSERVE_ONLY
                && (type == EventType.FILE_ACTIVITY || type == EventType.PROCESS_AUDIT)
                && findings.isEmpty();
    }

    @Override
    public RowShape shape() {
        return SHAPE;
    }

    @Override
    public void values(RowValues out) {
        out.text(id.value());
        out.at(at);
        out.integer(at.toEpochMilli());
        out.name(type.family());
        out.name(type);
        out.name(judgement.sourceEngine());
        out.name(judgement.finalAction());
        out.name(judgement.enforceability());
        out.name(attribution.scope());
        out.name(attribution.originKind());
        out.text(attribution.accountingOwner());
        out.id(correlation.traceId());
        out.id(correlation.spanId());
        out.id(correlation.parentEventId());
        out.text(correlation.streamId());
        out.text(correlation.activityId());
        out.integer(correlation.sequenceNo());
        out.text(attribution.sandboxId());
        out.text(attribution.sessionId());
        out.text(attribution.profileId());
        out.text(attribution.profileRevision());
        out.text(attribution.userId());
        out.integer(process.processId());
        out.integer(process.parentProcessId());
        out.integer(correlation.execId());
        out.text(correlation.turnId());
        out.text(correlation.messageId());
        out.text(correlation.toolCallId());
        out.text(correlation.mcpCallId());
        out.name(judgement.redactionState());
        out.text(process.operation());
        out.text(process.commandClass());
        out.integer(labelCount);
        out.integer(mutationCount);
        out.integer(findings.size());
        about.values(out);
    }

    @Override
    public Optional<String> key() {
        return Optional.of(id.value());
    }

    @Override
    public List<Row> children() {
        List<Row> rows = new ArrayList<>(steps.size() + findings.size() + links.size());
        for (int i = 0; i < steps.size(); i++) {
            rows.add(new Step.Placed(i, steps.get(i)));
        }
        rows.addAll(findings);
        rows.addAll(links);
        return rows;
    }
}
