package dev.capsem.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.Finding;
import dev.capsem.events.row.McpRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.vocabulary.Confidence;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.events.vocabulary.Severity;
import dev.capsem.mcp.record.McpPorts;
import dev.capsem.mcp.record.ToolTrust;
import dev.capsem.wire.aggregator.AggregatorEvent.ServerNotification;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.json.Json;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.node.ObjectNode;

/// A notification waits for nobody: where a rule asks about one, it does not pass, though anybody who were asked would
/// approve it.
@Timeout(120)
class NotificationRulesTest {
    private final FakeGate gate = new FakeGate();
    private final FakeSink sink = new FakeSink();
    private final FakeBackend backend = new FakeBackend();
    private final AtomicInteger questions = new AtomicInteger();
    private final InstantSource clock = InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z"));

    @BeforeEach
    void askAboutNotifications() {
        gate.decide(
                event -> event instanceof McpRequest request && request.method().startsWith("notifications/")
                        ? Optional.of(FakeGate.asked("careful"))
                        : Optional.empty());
    }

    @Test
    void whatAClientSaysDoesNotReachTheServers() throws Exception {
        try (GuestEnd guest = guest()) {
            guest.alone("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}");
            pingIsAnsweredFirst(guest);
        }
        assertThat(backend.reached).noneMatch(Operation.RootsChanged.class::isInstance);
        assertRefusedAndRecorded("notifications/roots/list_changed");
    }

    @Test
    void whatAServerSaysDoesNotReachTheClient() throws Exception {
        try (GuestEnd guest = guest()) {
            pingIsAnsweredFirst(guest);
            backend.say(new ServerNotification(
                    "docs", OptionalLong.empty(), "notifications/tools/list_changed", Optional.empty()));
            pingIsAnsweredFirst(guest);
        }
        assertRefusedAndRecorded("notifications/tools/list_changed");
    }

    /// What a rule takes out of a server's words does not reach the model.
    @Test
    void whatARuleChangedIsWhatTheClientHears() throws Exception {
        gate.decide(event -> event instanceof McpRequest request
                        && request.method().equals("notifications/message")
                ? Optional.of(FakeGate.rewritten(
                        request.withArguments(JsonDocument.of(Json.parse("{\"level\":\"info\",\"data\":\"masked\"}"))),
                        "mask"))
                : Optional.empty());
        try (GuestEnd guest = guest()) {
            pingIsAnsweredFirst(guest);
            backend.say(new ServerNotification(
                    "docs", OptionalLong.empty(), "notifications/message", Optional.of((ObjectNode)
                            Json.parse("{\"level\":\"info\",\"data\":\"s3cret\"}"))));

            assertThat(guest.replyText()).contains("masked").doesNotContain("s3cret");
        }
    }

    /// Detections see calls of tools that are not there, too.
    @Test
    void whatDetectionsFoundInACallThatLeadsNowhereIsRecorded() {
        Finding finding =
                new Finding("f", "r", "p", Optional.empty(), "odd", Severity.HIGH, Confidence.HIGH, List.of());
        gate.decide(_ -> Optional.of(new Evaluation(
                new Evaluation.Asked(), Optional.empty(), Optional.empty(), List.of(), List.of(finding))));
        IdSource ids = new IdSource(clock, new Random(1));
        McpPorts ports = ports(ids);

        Evaluation nothing = ports.judge()
                .judgeNothing(
                        new McpRequest(
                                ports.envelope(Correlation.NONE),
                                "tools/call",
                                "docs",
                                Optional.of("gone"),
                                Optional.of("docs__gone"),
                                Optional.empty(),
                                "absent",
                                Optional.empty()),
                        "there is no such tool");

        assertThat(nothing.findings()).containsExactly(finding);
        assertThat(questions).hasValue(0);
    }

    private void assertRefusedAndRecorded(String method) {
        assertThat(questions).hasValue(0);
        McpRow row = sink.rows().stream()
                .filter(found -> found.method().equals(method))
                .findFirst()
                .orElseThrow();
        assertThat(row.decision()).isEqualTo(Outcome.DENIED);
        assertThat(row.policy().rule()).hasValue("security.rules.mcp.careful");
    }

    private static void pingIsAnsweredFirst(GuestEnd guest) throws Exception {
        guest.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
        assertThat(guest.reply().path("id").asInt()).isEqualTo(1);
    }

    private GuestEnd guest() throws Exception {
        IdSource ids = new IdSource(clock, new Random(1));
        return GuestEnd.to(ports(ids), backend, clock, ids);
    }

    private McpPorts ports(IdSource ids) {
        return new McpPorts(
                gate,
                (_, _) -> {
                    questions.incrementAndGet();
                    return CompletableFuture.completedFuture(new Answer.Approved(Answer.Scope.ONCE, "me"));
                },
                correlation -> Envelope.inline(ids.nextEventId(), clock.instant(), Attribution.UNKNOWN, correlation),
                sink,
                ToolTrust.ALL);
    }
}
