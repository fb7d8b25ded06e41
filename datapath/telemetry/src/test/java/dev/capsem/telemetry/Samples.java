package dev.capsem.telemetry;

import dev.capsem.events.About;
import dev.capsem.events.Judgement;
import dev.capsem.events.ProcessFacts;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.ResolvedEvent;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.AuditRow;
import dev.capsem.events.row.Caller;
import dev.capsem.events.row.DnsRow;
import dev.capsem.events.row.ExecCompletion;
import dev.capsem.events.row.ExecRow;
import dev.capsem.events.row.Finding;
import dev.capsem.events.row.FsRow;
import dev.capsem.events.row.GrantUse;
import dev.capsem.events.row.Link;
import dev.capsem.events.row.McpExecutionEvidence;
import dev.capsem.events.row.McpRow;
import dev.capsem.events.row.ModelInteraction;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.row.PolicyOutcome;
import dev.capsem.events.row.Projection;
import dev.capsem.events.row.SnapshotRow;
import dev.capsem.events.row.Step;
import dev.capsem.events.vocabulary.AttributionScope;
import dev.capsem.events.vocabulary.Confidence;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.events.vocabulary.OriginKind;
import dev.capsem.events.vocabulary.Severity;
import dev.capsem.events.vocabulary.SourceEngine;
import dev.capsem.events.vocabulary.SpanId;
import dev.capsem.events.vocabulary.StepKind;
import dev.capsem.events.vocabulary.StepStatus;
import dev.capsem.events.vocabulary.TraceId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;

/// Exchanges of every kind, made up.
public final class Samples {
    public static final Instant NOW = Instant.parse("2026-03-01T10:00:00.123456Z");
    public static final InstantSource CLOCK = InstantSource.fixed(NOW);
    public static final SessionIdentity IDENTITY = new SessionIdentity("box-1", "coding", "1000");
    static final Attribution ATTRIBUTION = new Attribution(
            AttributionScope.VM,
            OriginKind.TEST_FIXTURE,
            Optional.of("team"),
            Optional.of("box-1"),
            Optional.of("session-1"),
            Optional.of("coding"),
            Optional.of("7"),
            Optional.of("1000"));
    static final TraceId TRACE = new TraceId("4bf92f3577b34da6a3ce929d0e0e4736");

    private final IdSource ids;

    public Samples() {
        this(CLOCK, new Random(7));
    }

    public Samples(InstantSource clock, Random random) {
        this.ids = new IdSource(clock, random);
    }

    public ResolvedEvent event(EventType type, SourceEngine engine, FinalAction action) {
        return ResolvedEvent.plain(
                ids.nextEventId(),
                NOW,
                type,
                Judgement.decided(engine, action),
                ATTRIBUTION,
                Correlation.NONE.withTrace(TRACE));
    }

    public RecordedExchange exec(long execId) {
        return RecordedExchange.of(
                event(EventType.PROCESS_EXEC, SourceEngine.PROCESS, FinalAction.CONTINUE),
                new ExecRow(NOW, execId, "echo " + execId, ExecRow.Source.API, Optional.of(TRACE), Caller.UNKNOWN));
    }

    public RecordedExchange execEnd(long execId, int exitCode) {
        return RecordedExchange.of(
                event(EventType.PROCESS_EXEC_COMPLETE, SourceEngine.PROCESS, FinalAction.OBSERVE_ONLY),
                new ExecCompletion(
                        execId, exitCode, Duration.ofMillis(12), Optional.of("out " + execId), Optional.empty(), 6, 0));
    }

    public RecordedExchange files(int count) {
        List<Projection> rows = IntStream.range(0, count)
                .<Projection>mapToObj(i ->
                        new FsRow(NOW, FsRow.Action.CREATED, "/root/file-" + i, OptionalLong.of(i), Optional.empty()))
                .toList();
        return new RecordedExchange(
                ResolvedEvent.plain(
                        ids.nextEventId(),
                        NOW,
                        EventType.FILE_ACTIVITY,
                        Judgement.observed(SourceEngine.FILE),
                        ATTRIBUTION,
                        Correlation.NONE),
                rows);
    }

    /// The first is the command's own process; all others are its children.
    public RecordedExchange programs(long execId, long session, String... argv) {
        List<Projection> rows = IntStream.range(0, argv.length)
                .<Projection>mapToObj(i -> new AuditRow(
                        NOW,
                        session + i,
                        i == 0 ? 1 : session,
                        0,
                        "/bin/x",
                        Optional.empty(),
                        argv[i],
                        Optional.empty(),
                        OptionalInt.empty(),
                        OptionalLong.of(session),
                        Optional.empty(),
                        Optional.empty(),
                        OptionalLong.of(execId),
                        Optional.empty(),
                        Optional.empty()))
                .toList();
        return new RecordedExchange(
                ResolvedEvent.plain(
                        ids.nextEventId(),
                        NOW,
                        EventType.PROCESS_AUDIT,
                        Judgement.observed(SourceEngine.PROCESS),
                        ATTRIBUTION,
                        Correlation.NONE),
                rows);
    }

    public RecordedExchange net(FinalAction action) {
        boolean allowed = action == FinalAction.CONTINUE;
        return RecordedExchange.of(
                event(EventType.HTTP_REQUEST, SourceEngine.NETWORK, action)
                        .withSteps(List.of(new Step(
                                StepKind.ENFORCEMENT_MATCH,
                                StepStatus.MATCHED,
                                Optional.of("security.rules.http.sample"),
                                Optional.empty(),
                                Optional.of("a reason")))),
                netRow(
                        allowed,
                        new PolicyOutcome(
                                Optional.of("enforce"),
                                Optional.of(allowed ? "allow" : "block"),
                                Optional.of("security.rules.http.sample"),
                                Optional.of("a reason"))));
    }

    private static NetRow netRow(boolean allowed, PolicyOutcome policy) {
        return new NetRow(
                NOW,
                "api.example.com",
                443,
                allowed ? Outcome.ALLOWED : Outcome.DENIED,
                new Caller(Optional.of("curl"), OptionalLong.of(42)),
                Optional.of("GET"),
                Optional.of("/v1/things"),
                Optional.of("page=1"),
                allowed ? OptionalInt.of(200) : OptionalInt.of(403),
                120,
                4_096,
                Duration.ofMillis(31),
                Optional.of("security.rules.http.sample"),
                new NetRow.Previews(
                        Optional.of("accept: */*\nuser-agent: curl/8"),
                        Optional.of("content-type: application/json"),
                        Optional.of("{}"),
                        Optional.of("{\"things\": []}")),
                "https",
                policy,
                Optional.of(TRACE));
    }

    /// Of a question that somebody approved.
    private static PolicyOutcome approved() {
        return new PolicyOutcome(
                Optional.of("enforce"),
                Optional.of("ask"),
                Optional.of("rule"),
                Optional.of("because"),
                Optional.of("approved"));
    }

    /// Every projection with every column filled.
    public RecordedExchange full() {
        return new RecordedExchange(
                new ResolvedEvent(
                        ids.nextEventId(),
                        NOW,
                        EventType.MODEL_RESPONSE,
                        Judgement.decided(SourceEngine.NETWORK, FinalAction.REWRITE),
                        ATTRIBUTION,
                        new Correlation(
                                Optional.of(TRACE),
                                Optional.of(new SpanId("00f067aa0ba902b7")),
                                Optional.of(new EventId("ev-parent")),
                                Optional.of("stream-1"),
                                Optional.of("activity-1"),
                                OptionalLong.of(3),
                                OptionalLong.of(1),
                                Optional.of("turn-1"),
                                Optional.of("message-1"),
                                Optional.of("tool-1"),
                                Optional.of("mcp-1")),
                        new ProcessFacts(
                                OptionalLong.of(10), OptionalLong.of(1), Optional.of("exec"), Optional.of("shell")),
                        1,
                        2,
                        List.of(
                                new Step(
                                        StepKind.ENFORCEMENT_MATCH,
                                        StepStatus.MATCHED,
                                        Optional.of("rule-1"),
                                        Optional.of("pack-1"),
                                        Optional.of("matched")),
                                new Step(
                                        StepKind.DETECTION_MATCH,
                                        StepStatus.APPLIED,
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty())),
                        List.of(new Finding(
                                ids.nextEventId().value(),
                                "rule-2",
                                "pack-2",
                                Optional.of("sigma-1"),
                                "Secret left the house",
                                Severity.HIGH,
                                Confidence.MEDIUM,
                                List.of("attack.exfiltration", "capsem"))),
                        List.of(new Link(new EventId("ev-parent"), "caused_by", Optional.of("same trace"))),
                        new About(
                                Optional.of("answer of anthropic claude"),
                                Optional.of("because"),
                                Optional.of("/usr/bin/node"),
                                Optional.of("/usr/bin/claude"))),
                List.of(
                        new ExecRow(
                                NOW,
                                900,
                                "ls",
                                ExecRow.Source.MCP,
                                Optional.of(TRACE),
                                new Caller(Optional.of("sh"), OptionalLong.of(5))),
                        new ExecCompletion(900, 2, Duration.ofMillis(3), Optional.of("out"), Optional.of("err"), 3, 3),
                        new FsRow(NOW, FsRow.Action.MODIFIED, "/root/a", OptionalLong.of(5), Optional.of(TRACE)),
                        new SnapshotRow(
                                NOW, 1, SnapshotRow.Origin.MANUAL, Optional.of("before"), 5, Optional.of(TRACE)),
                        netRow(true, approved()),
                        new GrantUse(
                                NOW,
                                new EventId("ev-parent"),
                                "anthropic",
                                "header:x-api-key",
                                "api.example.com",
                                2,
                                Optional.of(TRACE)),
                        new DnsRow(
                                NOW,
                                "example.com",
                                1,
                                1,
                                0,
                                Outcome.ALLOWED,
                                Optional.of("rule"),
                                Optional.of("udp"),
                                Optional.of("curl"),
                                Duration.ofMillis(2),
                                Optional.of(TRACE),
                                approved()),
                        new McpRow(
                                NOW,
                                "github",
                                "tools/call",
                                Optional.of("github__search"),
                                Optional.of("7"),
                                Optional.of("{}"),
                                Optional.of("{}"),
                                Outcome.ERROR,
                                Duration.ofMillis(9),
                                Optional.of("no"),
                                Optional.of("claude"),
                                2,
                                2,
                                approved(),
                                Optional.of(TRACE)),
                        new AuditRow(
                                NOW,
                                4,
                                1,
                                0,
                                "/bin/sh",
                                Optional.of("sh"),
                                "sh -c true",
                                Optional.of("/root"),
                                OptionalInt.of(0),
                                OptionalLong.of(1),
                                Optional.of("pts0"),
                                Optional.of("a1"),
                                OptionalLong.of(900),
                                Optional.of("/bin/init"),
                                Optional.of(TRACE)),
                        model(),
                        new McpExecutionEvidence(
                                Optional.empty(),
                                "7",
                                "github",
                                "search",
                                "github__search",
                                "vsock-framed",
                                Optional.of("{}"),
                                Optional.of("{}"),
                                ModelInteraction.ContentKind.JSON,
                                Optional.of("{}"),
                                Optional.of("{}"),
                                true,
                                Duration.ofMillis(9),
                                Optional.of("i-1"),
                                Optional.of("call-1"),
                                McpExecutionEvidence.LinkStatus.UNLINKED_PENDING)));
    }

    private ModelRow model() {
        return new ModelRow(
                NOW,
                "anthropic",
                Optional.of("claude"),
                new Caller(Optional.of("claude"), OptionalLong.of(77)),
                "POST",
                "/v1/messages",
                true,
                new ModelRow.Request(Optional.of("be kind"), 3, 2, 400, Optional.of("{}")),
                new ModelRow.Response(
                        Optional.of("msg-1"),
                        OptionalInt.of(200),
                        Optional.of("hello"),
                        Optional.of("hm"),
                        Optional.of("end_turn"),
                        800),
                new ModelRow.Usage(
                        OptionalLong.of(100), OptionalLong.of(20), OptionalDouble.of(0.25), Optional.of("{}")),
                Duration.ofMillis(900),
                Optional.of(TRACE),
                List.of(new ModelRow.ToolCall(
                        0,
                        "call-1",
                        "github__search",
                        Optional.of("{}"),
                        ModelRow.ToolOrigin.MCP_PROXY,
                        Optional.of(TRACE))),
                List.of(new ModelRow.ToolResponse("call-0", Optional.of("ok"), true, Optional.of(TRACE))),
                Optional.of(interaction()));
    }

    private ModelInteraction interaction() {
        return new ModelInteraction(
                ids.nextEventId().value(),
                TRACE,
                ATTRIBUTION,
                SourceEngine.NETWORK,
                ModelInteraction.Provider.ANTHROPIC,
                ModelInteraction.ApiFamily.ANTHROPIC_MESSAGES,
                "claude",
                ModelInteraction.ParseStatus.COMPLETE,
                ModelInteraction.EvidenceStatus.COMPLETE,
                new ModelInteraction.Request(
                        "req-1", Optional.of("claude"), true, Optional.of("be kind"), 3, 2, "1", true),
                Optional.of(new ModelInteraction.Response(
                        Optional.of("r-1"),
                        Optional.of("pr-1"),
                        Optional.of("end_turn"),
                        Optional.of("hello"),
                        Optional.of("hm"),
                        Optional.of("1"))),
                OptionalLong.of(100),
                OptionalLong.of(20),
                OptionalLong.of(250_000),
                List.of(new ModelInteraction.UsageDetail(
                        ModelInteraction.UsageDetail.Scope.RESPONSE, "cache_read", 50)),
                List.of(new ModelInteraction.ContentBlock(
                        0,
                        ModelInteraction.ContentKind.TEXT,
                        Optional.of("hello"),
                        Optional.of("{}"),
                        Optional.of("text/plain"),
                        Optional.of(false),
                        Optional.of("a.txt"),
                        Optional.of("workspace"),
                        Optional.of("call-1"),
                        Optional.of("name"),
                        Optional.of(true),
                        Optional.of("ephemeral"),
                        Optional.of("why"),
                        Optional.of("text"))),
                List.of(new ModelInteraction.ToolCall(
                        "call-1",
                        0,
                        Optional.of("p-1"),
                        "mcp__capsem__github__search",
                        "github.search",
                        Optional.of("{}"),
                        Optional.of("{}"),
                        ModelInteraction.ArgumentsStatus.VALID_JSON,
                        ModelInteraction.ToolOrigin.MCP_TOOL,
                        Optional.of("7"),
                        ModelInteraction.CallStatus.PROPOSED,
                        Confidence.HIGH)),
                List.of(new ModelInteraction.ToolResult(
                        "call-0",
                        Optional.of("6"),
                        ModelInteraction.ContentKind.JSON,
                        Optional.of("ok"),
                        Optional.of("{}"),
                        true,
                        ModelInteraction.CallStatus.RETURNED_TO_MODEL,
                        true,
                        Confidence.LOW)));
    }

    /// Every projection with only what it must have.
    public RecordedExchange minimal() {
        return new RecordedExchange(
                ResolvedEvent.plain(
                        ids.nextEventId(),
                        NOW,
                        EventType.SANDBOX_START,
                        Judgement.observed(SourceEngine.VM),
                        Attribution.UNKNOWN,
                        Correlation.NONE),
                List.of(
                        new ExecRow(NOW, 901, "", ExecRow.Source.API, Optional.empty(), Caller.UNKNOWN),
                        new ExecCompletion(901, 0, Duration.ZERO, Optional.empty(), Optional.empty(), 0, 0),
                        new FsRow(NOW, FsRow.Action.DELETED, "/root/a", OptionalLong.empty(), Optional.empty()),
                        new SnapshotRow(NOW, 0, SnapshotRow.Origin.AUTO, Optional.empty(), 0, Optional.empty()),
                        new GrantUse(NOW, new EventId("ev-1"), "a", "path", "a", 1, Optional.empty()),
                        new NetRow(
                                NOW,
                                "a",
                                80,
                                Outcome.ERROR,
                                Caller.UNKNOWN,
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                OptionalInt.empty(),
                                0,
                                0,
                                Duration.ZERO,
                                Optional.empty(),
                                NetRow.Previews.NONE,
                                "http",
                                PolicyOutcome.NONE,
                                Optional.empty()),
                        new DnsRow(
                                NOW,
                                "",
                                0,
                                0,
                                0,
                                Outcome.DENIED,
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Duration.ZERO,
                                Optional.empty(),
                                PolicyOutcome.NONE),
                        new McpRow(
                                NOW,
                                "builtin",
                                "ping",
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                Outcome.ALLOWED,
                                Duration.ZERO,
                                Optional.empty(),
                                Optional.empty(),
                                0,
                                0,
                                PolicyOutcome.NONE,
                                Optional.empty()),
                        new AuditRow(
                                NOW,
                                1,
                                0,
                                0,
                                "/x",
                                Optional.empty(),
                                "",
                                Optional.empty(),
                                OptionalInt.empty(),
                                OptionalLong.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                OptionalLong.empty(),
                                Optional.empty(),
                                Optional.empty()),
                        new ModelRow(
                                NOW,
                                "unknown",
                                Optional.empty(),
                                Caller.UNKNOWN,
                                "POST",
                                "/",
                                false,
                                new ModelRow.Request(Optional.empty(), 0, 0, 0, Optional.empty()),
                                new ModelRow.Response(
                                        Optional.empty(),
                                        OptionalInt.empty(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        0),
                                ModelRow.Usage.UNKNOWN,
                                Duration.ZERO,
                                Optional.empty(),
                                List.of(),
                                List.of(),
                                Optional.of(new ModelInteraction(
                                        ids.nextEventId().value(),
                                        TRACE,
                                        Attribution.UNKNOWN,
                                        SourceEngine.HOST_AI,
                                        ModelInteraction.Provider.UNKNOWN,
                                        ModelInteraction.ApiFamily.UNKNOWN,
                                        "",
                                        ModelInteraction.ParseStatus.UNSUPPORTED,
                                        ModelInteraction.EvidenceStatus.PARTIAL,
                                        new ModelInteraction.Request(
                                                "r", Optional.empty(), false, Optional.empty(), 0, 0, "", false),
                                        Optional.empty(),
                                        OptionalLong.empty(),
                                        OptionalLong.empty(),
                                        OptionalLong.empty(),
                                        List.of(),
                                        List.of(),
                                        List.of(),
                                        List.of()))),
                        new McpExecutionEvidence(
                                Optional.empty(),
                                "1",
                                "s",
                                "t",
                                "s__t",
                                "stdio",
                                Optional.empty(),
                                Optional.empty(),
                                ModelInteraction.ContentKind.UNKNOWN,
                                Optional.empty(),
                                Optional.empty(),
                                false,
                                Duration.ZERO,
                                Optional.empty(),
                                Optional.empty(),
                                McpExecutionEvidence.LinkStatus.NOT_APPLICABLE)));
    }
}
