package dev.capsem.process.record;

import dev.capsem.events.Admission;
import dev.capsem.events.Admission.Place;
import dev.capsem.events.EventSink;
import dev.capsem.events.Judgement;
import dev.capsem.events.ProcessFacts;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.ResolvedEvent;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.AuditRow;
import dev.capsem.events.row.Caller;
import dev.capsem.events.row.ExecCompletion;
import dev.capsem.events.row.ExecRow;
import dev.capsem.events.row.Finding;
import dev.capsem.events.row.FsRow;
import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.row.PolicyOutcome;
import dev.capsem.events.row.Projection;
import dev.capsem.events.row.Step;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent.FileActivity;
import dev.capsem.events.security.SecurityEvent.ProcessExec;
import dev.capsem.events.vocabulary.AttributionScope;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.events.vocabulary.OriginKind;
import dev.capsem.events.vocabulary.SourceEngine;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.process.configuration.SessionConfiguration;
import dev.capsem.wire.SandboxId;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.guest.ExecId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Supplier;

/// Turns facts of one sandbox into resolved events.
public final class Recorder implements EnvelopeSource {
    /// As a shell answers for what may not be run.
    private static final int EXIT_BLOCKED = 126;

    /// Why every connection and question is refused when the network engine could not be set up.
    public static final String NO_NETWORK_ENGINE = "network engine not running";

    /// The operation of the event that says that no program that starts is seen.
    static final String EXEC_AUDIT_OFF = "exec_audit_off";

    /// The operation of the event that says which limit stopped the sandbox.
    static final String STOPPED_BY_LIMIT = "stopped_by_limit";

    private final EventSink sink;
    private final IdSource ids;
    private final InstantSource clock;

    private final Supplier<SessionConfiguration> configuration;

    private volatile Identity identity;

    /// Whose events these are, as long as the sandbox is not renamed.
    private record Identity(Optional<String> id, Optional<String> profileId, Optional<String> userId) {
        Attribution under(SessionConfiguration configuration, OriginKind origin) {
            return new Attribution(
                    AttributionScope.VM, origin, Optional.empty(), id, id, profileId, configuration.revision(), userId);
        }
    }

    /// @param configuration the one in force
    public Recorder(
            EventSink sink,
            IdSource ids,
            InstantSource clock,
            SandboxSpec spec,
            Supplier<SessionConfiguration> configuration) {
        this.sink = sink;
        this.ids = ids;
        this.clock = clock;
        this.configuration = configuration;
        this.identity =
                new Identity(Optional.of(spec.id().value()), Optional.of(spec.profileId()), Optional.of(spec.userId()));
    }

    /// The sandbox got another id; its later events carry it.
    public void rename(SandboxId id) {
        Identity before = identity;
        identity = new Identity(Optional.of(id.value()), before.profileId(), before.userId());
    }

    private Attribution attribution(OriginKind origin) {
        return identity.under(configuration.get(), origin);
    }

    /// A command that somebody of the host's wants to run, before anything is decided.
    ///
    /// @param argv none if the command came as a line for the shell
    public ProcessExec command(String command, List<String> argv, Optional<String> cwd, TraceId traceId) {
        Envelope envelope = Envelope.inline(
                ids.nextEventId(),
                clock.instant(),
                attribution(OriginKind.HOST_SERVICE),
                Correlation.NONE.withTrace(traceId));
        return new ProcessExec(envelope, command, argv, cwd);
    }

    /// The facts for history about a command before it runs.
    ///
    /// @param command what was asked for, and let through
    /// @param pid in the guest; absent when it could not be started
    public record ExecFacts(
            ExecId id,
            ProcessExec command,
            Evaluation evaluation,
            ExecRow.Source source,
            Instant at,
            OptionalLong pid) {}

    /// Whether a command may be looked at. Waits some seconds at most.
    public Admission admitCommand() {
        return sink.admit(EventType.PROCESS_EXEC).join();
    }

    /// @param place of its admission
    public void execStarted(ExecFacts facts, Place place) {
        sink.record(RecordedExchange.of(started(facts), row(facts)), place);
    }

    /// A command that did not run. History shows it beside the others, and it can be asked why.
    ///
    /// @param place of its admission
    public void execBlocked(ExecFacts facts, Place place) {
        // From the request to its refusal: a person may have been asked in between.
        Duration took = Duration.between(facts.command().envelope().at(), facts.at());
        ExecCompletion never = new ExecCompletion(
                facts.id().value(),
                EXIT_BLOCKED,
                took.isNegative() ? Duration.ZERO : took,
                Optional.empty(),
                Optional.empty(),
                0,
                0);
        sink.record(RecordedExchange.of(started(facts), row(facts), never), place);
    }

    private static ResolvedEvent started(ExecFacts facts) {
        ProcessExec command = facts.command();
        return resolved(
                new ProcessExec(
                        command.envelope().withCorrelation(execCorrelation(facts)),
                        command.command(),
                        command.argv(),
                        command.cwd()),
                facts.evaluation(),
                facts.pid());
    }

    private static ExecRow row(ExecFacts facts) {
        ProcessExec command = facts.command();
        return new ExecRow(
                facts.at(),
                facts.id().value(),
                command.command(),
                facts.source(),
                execCorrelation(facts).traceId(),
                new Caller(Optional.of(processName(command)), facts.pid()));
    }

    /// @param place of its admission
    public void execEnded(ExecFacts facts, ExecCompletion completion, Place place) {
        ResolvedEvent ended = event(
                clock.instant(),
                EventType.PROCESS_EXEC_COMPLETE,
                Judgement.observed(SourceEngine.PROCESS),
                OriginKind.HOST_SERVICE,
                execCorrelation(facts));
        sink.record(RecordedExchange.of(ended, completion), place);
    }

    /// A process of the guest wanted to reach something outside.
    public void connectionRefused(Instant at, String address, int port, Optional<String> processName) {
        NetRow row = new NetRow(
                at,
                address,
                port,
                Outcome.DENIED,
                new Caller(processName, OptionalLong.empty()),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                0,
                0,
                Duration.between(at, clock.instant()),
                Optional.empty(),
                NetRow.Previews.NONE,
                "tcp",
                refused(),
                Optional.empty());
        block(EventType.HTTP_REQUEST, at, List.of(row));
    }

    @Override
    public Envelope inline(Correlation correlation) {
        return Envelope.inline(ids.nextEventId(), clock.instant(), attribution(OriginKind.GUEST_NETWORK), correlation);
    }

    /// For an event of a program of the host's that waits for our word.
    public Envelope ofHost(Correlation correlation) {
        return Envelope.inline(ids.nextEventId(), clock.instant(), attribution(OriginKind.HOST_SERVICE), correlation);
    }

    /// Files of the workspace that were seen to change, in one look.
    public void filesChanged(Instant at, List<FsRow> rows) {
        observed(at, EventType.FILE_ACTIVITY, SourceEngine.FILE, rows);
    }

    /// Programs that started inside, in one look.
    public void programsStarted(Instant at, List<AuditRow> rows) {
        observed(at, EventType.PROCESS_AUDIT, SourceEngine.PROCESS, rows);
    }

    private void observed(Instant at, EventType type, SourceEngine engine, List<? extends Projection> rows) {
        for (int from = 0; from < rows.size(); from += RecordedExchange.ROWS_MAX) {
            List<Projection> part =
                    List.copyOf(rows.subList(from, Math.min(rows.size(), from + RecordedExchange.ROWS_MAX)));
            sink.offer(new RecordedExchange(
                    event(at, type, Judgement.observed(engine), OriginKind.UNKNOWN, Correlation.NONE), part));
        }
    }

    /// No program that starts inside will be on record. Waits while the record cannot take it.
    ///
    /// @param reason of the kernel, as the agent says
    public void execAuditOff(String reason) {
        ResolvedEvent event = event(
                        clock.instant(),
                        EventType.PROCESS_AUDIT,
                        Judgement.observed(SourceEngine.PROCESS),
                        OriginKind.HOST_SERVICE,
                        Correlation.NONE)
                .withProcess(new ProcessFacts(
                        OptionalLong.empty(), OptionalLong.empty(), Optional.of(EXEC_AUDIT_OFF), Optional.empty()))
                .withReason(reason);
        sink.recordOrWait(RecordedExchange.of(event));
    }

    /// For something that nobody waits for our word about.
    Envelope observed(Instant at) {
        return Envelope.observed(ids.nextEventId(), at, attribution(OriginKind.UNKNOWN), Correlation.NONE);
    }

    /// A change of a file that the rules have something to say about.
    void fileJudged(FileActivity event, Evaluation evaluation, FsRow row) {
        RecordedExchange exchange = RecordedExchange.of(ResolvedEvent.of(event, evaluation), row);
        if (exchange.event().isObservation()) {
            sink.offer(exchange);
        } else {
            sink.recordOrWait(exchange);
        }
    }

    /// Servers' tools are not what they were, or not what they seem.
    public void toolsReviewed(List<Finding> findings) {
        if (!findings.isEmpty()) {
            sink.recordOrWait(RecordedExchange.of(event(
                            clock.instant(),
                            EventType.MCP_RESPONSE,
                            Judgement.observed(SourceEngine.SECURITY),
                            OriginKind.HOST_SERVICE,
                            Correlation.NONE)
                    .withFindings(findings)));
        }
    }

    /// A program behind MCP wanted to reach what it has no business with.
    public void egressRefused(String program, String host, int port) {
        ResolvedEvent event = event(
                        clock.instant(),
                        EventType.HTTP_REQUEST,
                        Judgement.decided(SourceEngine.NETWORK, FinalAction.BLOCK),
                        OriginKind.HOST_SERVICE,
                        Correlation.NONE)
                .withSteps(List.of(new Step(
                        StepKind.ENFORCEMENT_MATCH,
                        StepStatus.APPLIED,
                        Optional.empty(),
                        Optional.of("mcp_egress"),
                        Optional.of(program + " may not connect to " + host + ":" + port))));
        sink.note(RecordedExchange.of(event));
    }

    /// @param type [EventType#SANDBOX_START] or [EventType#SANDBOX_STOP]
    public void lifecycle(EventType type) {
        sink.keep(RecordedExchange.of(ofSandbox(type)));
    }

    /// The sandbox is about to be stopped because it took more than its share.
    ///
    /// @param reason begins with `stopped:`
    public void stoppedByLimit(String reason) {
        sink.keep(RecordedExchange.of(ofSandbox(EventType.SANDBOX_STOP)
                .withProcess(new ProcessFacts(
                        OptionalLong.empty(), OptionalLong.empty(), Optional.of(STOPPED_BY_LIMIT), Optional.empty()))
                .withReason(reason)));
    }

    private ResolvedEvent ofSandbox(EventType type) {
        return event(
                clock.instant(), type, Judgement.observed(SourceEngine.VM), OriginKind.HOST_SERVICE, Correlation.NONE);
    }

    /// The caller's trace id if it brought a proper one, else a new one.
    public TraceId traceId(Optional<String> given) {
        return given.filter(TraceId::isValid).map(TraceId::new).orElseGet(ids::newTraceId);
    }

    private void block(EventType type, Instant at, List<Projection> rows) {
        ResolvedEvent event = event(
                        at,
                        type,
                        Judgement.decided(SourceEngine.NETWORK, FinalAction.BLOCK),
                        OriginKind.GUEST_NETWORK,
                        Correlation.NONE)
                .withSteps(List.of(new Step(
                        StepKind.ENFORCEMENT_MATCH,
                        StepStatus.APPLIED,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(NO_NETWORK_ENGINE))));
        sink.note(new RecordedExchange(event, rows));
    }

    private static ResolvedEvent resolved(ProcessExec command, Evaluation evaluation, OptionalLong pid) {
        return ResolvedEvent.of(command, evaluation)
                .withProcess(new ProcessFacts(
                        pid, OptionalLong.empty(), Optional.of("exec"), Optional.of(command.commandClass())));
    }

    private ResolvedEvent event(
            Instant at, EventType type, Judgement judgement, OriginKind origin, Correlation correlation) {
        return ResolvedEvent.plain(ids.nextEventId(), at, type, judgement, attribution(origin), correlation);
    }

    private static Correlation execCorrelation(ExecFacts facts) {
        return facts.command().envelope().correlation().withExec(facts.id().value());
    }

    private static PolicyOutcome refused() {
        return new PolicyOutcome(
                Optional.of("enforce"), Optional.of("block"), Optional.empty(), Optional.of(NO_NETWORK_ENGINE));
    }

    /// The last segment of the program's path.
    private static String processName(ProcessExec command) {
        String program = command.executable();
        return program.substring(program.lastIndexOf('/') + 1);
    }
}
