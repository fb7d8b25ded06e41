package dev.capsem.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.McpRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.security.SecurityEvent.McpResponse;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.exchange.mcp.ToolStanding;
import dev.capsem.mcp.connection.EndpointDependencies;
import dev.capsem.mcp.connection.McpLimits;
import dev.capsem.mcp.connection.SharedInterests;
import dev.capsem.mcp.record.CallTraces;
import dev.capsem.mcp.record.McpPorts;
import dev.capsem.mcp.record.ToolTrust;
import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.CatalogEntry;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.mcp.McpFrame;
import dev.capsem.wire.mcp.McpFrames;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@Timeout(120)
class McpEndpointTest {
    private final InstantSource clock = InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z"));
    private final IdSource ids = new IdSource(clock, new Random(1));
    private final FakeGate gate = new FakeGate();
    private final FakeSink sink = new FakeSink();
    private final FakeBackend backend = new FakeBackend();
    private ApprovalDesk approvals = ApprovalDesk.NOBODY;
    private ToolTrust trust = ToolTrust.ALL;
    private McpLimits limits = McpLimits.DEFAULT;

    private McpEndpoint endpoint() {
        McpPorts ports = new McpPorts(
                gate,
                (event, asked) -> approvals.ask(event, asked),
                correlation -> Envelope.inline(ids.nextEventId(), clock.instant(), Attribution.UNKNOWN, correlation),
                sink,
                trust);
        return new McpEndpoint(new EndpointDependencies(
                ports,
                backend,
                CallTraces.NONE,
                new SharedInterests(backend),
                limits,
                clock,
                ids,
                "0.1.0",
                text -> text.replace("hunter2", "***")));
    }

    private GuestEnd guest() throws Exception {
        return new GuestEnd(endpoint(), "node");
    }

    // --- methods ------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource({
        "2024-11-05,2024-11-05",
        "2025-03-26,2025-03-26",
        "2025-06-18,2025-06-18",
        "2025-11-25,2025-11-25",
        "1999-01-01,2025-11-25",
        "2026-07-28,2025-11-25"
    })
    void negotiatesTheVersion(String wanted, String given) throws Exception {
        try (GuestEnd guest = guest()) {
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\""
                    + wanted + "\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}");

            JsonNode result = guest.reply().get("result");

            assertThat(result.get("protocolVersion").asString()).isEqualTo(given);
            assertThat(result.at("/serverInfo/name").asString()).isEqualTo("capsem-mcp-mitm-endpoint");
            assertThat(result.get("capabilities").propertyNames())
                    .containsExactlyInAnyOrder("tools", "resources", "prompts", "logging", "completions");
        }
    }

    @Test
    void listsToolsInOneOrderUnderTheirGuestNames() throws Exception {
        backend.offer("zeta", "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"},\"title\":\"T\"}");
        backend.offer("local", "{\"name\":\"file_read\",\"inputSchema\":{\"type\":\"object\"}}");
        backend.offer("local", "{\"name\":\"fetch_http\",\"inputSchema\":{\"type\":\"object\"}}");
        backend.offer("alpha", "{\"name\":\"b__c\",\"inputSchema\":{\"type\":\"object\"}}");
        try (GuestEnd guest = guest()) {
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");

            JsonNode tools = guest.reply().at("/result/tools");

            assertThat(tools.valueStream().map(tool -> tool.get("name").asString()))
                    .containsExactly("alpha__b__c", "file_read", "local__fetch_http", "zeta__a");
            assertThat(tools.get(3).get("title").asString()).isEqualTo("T");
        }
    }

    @Test
    void longListsComeInPagesThatTogetherAreTheWholeList() throws Exception {
        for (int i = 0; i < 612; i++) {
            backend.offer("s", "{\"name\":\"t" + i + "\",\"inputSchema\":{}}");
        }
        try (GuestEnd guest = guest()) {
            Set<String> names = new HashSet<>();
            int pages = 0;
            String params = "{}";
            while (true) {
                guest.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":" + params + "}");
                JsonNode result = guest.reply().get("result");
                pages++;
                result.get("tools").forEach(tool -> names.add(tool.get("name").asString()));
                if (!result.has("nextCursor")) {
                    break;
                }
                params = "{\"cursor\":\"" + result.get("nextCursor").asString() + "\"}";
            }

            assertThat(pages).isEqualTo(3);
            assertThat(names).hasSize(612);
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/list\",\"params\":{\"cursor\":\"%%\"}}");
            assertThat(guest.reply().at("/error/code").asInt()).isEqualTo(-32602);
        }
    }

    @Test
    void callsAreRoutedToTheirServersAndRecordedInFull() throws Exception {
        try (GuestEnd guest = guest()) {
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":\"c-1\",\"method\":\"tools/call\",\"params\":"
                    + "{\"name\":\"github__my__tool\",\"arguments\":{\"q\":\"x\"}}}");

            JsonNode reply = guest.reply();

            assertThat(reply.get("id").asString()).isEqualTo("c-1");
            assertThat(reply.at("/result/content/0/text").asString()).isEqualTo("{\"q\":\"x\"}");
            assertThat(backend.next())
                    .isInstanceOfSatisfying(
                            Operation.CallTool.class,
                            call -> assertThat(call.name()).isEqualTo("github__my__tool"));
        }
        McpRow row = sink.rows().getFirst();
        assertThat(row.serverName()).isEqualTo("github");
        assertThat(row.method()).isEqualTo("tools/call");
        assertThat(row.toolName()).hasValue("github__my__tool");
        assertThat(row.requestId()).hasValue("c-1");
        assertThat(row.decision()).isEqualTo(Outcome.ALLOWED);
        assertThat(row.processName()).hasValue("claude");
        assertThat(row.requestPreview()).hasValue("{\"name\":\"github__my__tool\",\"arguments\":{\"q\":\"x\"}}");
        assertThat(row.responsePreview().orElseThrow()).contains("\\\"q\\\":\\\"x\\\"");
        assertThat(row.bytesSent()).isEqualTo(row.requestPreview().orElseThrow().length());
        assertThat(row.bytesReceived()).isPositive();
        assertThat(row.policy().action()).hasValue("allow");
        assertThat(row.policy().rule()).hasValue("security.rules.mcp.allow_all");
        assertThat(row.traceId()).isPresent();
        assertThat(sink.evidence()).singleElement().satisfies(evidence -> {
            assertThat(evidence.toolName()).isEqualTo("my__tool");
            assertThat(evidence.mcpCallId()).isEqualTo("c-1");
        });
        assertThat(gate.seen.stream().map(SecurityEvent::type))
                .containsExactly(EventType.MCP_REQUEST, EventType.MCP_RESPONSE);
        assertThat(((McpRequest) gate.seen.getFirst()).toolName()).hasValue("my__tool");
    }

    @ParameterizedTest
    @CsvSource({
        "local__fetch_http, builtin, fetch_http, local__fetch_http",
        "file_read, file, file_read, local__file_read",
        "local__dir_list, file, dir_list, local__dir_list",
        "snapshots_create, file, snapshots_create, local__snapshots_create",
        "file_x__t, file_x, t, file_x__t",
    })
    void builtInNamesComeFirst(String name, String server, String tool, String backendName) throws Exception {
        try (GuestEnd guest = guest()) {
            guest.request(call(1, name));
            guest.reply();

            assertThat(backend.next())
                    .isInstanceOfSatisfying(
                            Operation.CallTool.class,
                            call -> assertThat(call.name()).isEqualTo(backendName));
            McpRequest event = (McpRequest) gate.seen.getFirst();
            assertThat(event.serverName()).isEqualTo(server);
            assertThat(event.toolName()).hasValue(tool);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "nothing, tool not found: nothing",
        "local__nothing, tool not found: local__nothing",
        "__x, tool not found: __x"
    })
    void namesThatLeadNowhereReachNobody(String name, String message) throws Exception {
        try (GuestEnd guest = guest()) {
            guest.request(call(1, name));

            JsonNode error = guest.reply().get("error");

            assertThat(error.get("message").asString()).isEqualTo(message);
            assertThat(error.get("code").asInt()).isEqualTo(-32602);
            assertThat(backend.reached).isEmpty();
            assertThat(sink.rows()).hasSize(1);
        }
    }

    @Test
    void aServersOwnErrorArrivesAsItIs() throws Exception {
        backend.behave(operation -> Optional.of(new AggregatorReply.Failed(
                "no such thing",
                OptionalInt.of(-32002),
                Optional.of(Json.object().put("uri", "u")))));
        try (GuestEnd guest = guest()) {
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":"
                    + "{\"uri\":\"capsem://s/u\"}}");

            assertThat(Json.text(guest.reply().get("error")))
                    .isEqualTo("{\"code\":-32002,\"message\":\"no such thing\",\"data\":{\"uri\":\"u\"}}");
            assertThat(sink.rows().getFirst().decision()).isEqualTo(Outcome.ERROR);
        }
    }

    @Test
    void anUnknownMethodIsJudgedRecordedAndRefused() throws Exception {
        try (GuestEnd guest = guest()) {
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks/list\"}");

            assertThat(guest.reply().at("/error/code").asInt()).isEqualTo(-32601);
            assertThat(gate.seen).hasSize(2);
            assertThat(sink.rows()).hasSize(1);
        }
    }

    // --- enforcement --------------------------------------------------------------------------------------------

    @Test
    void aBlockedCallReachesNobodyAndIsRecordedWithoutItsArguments() throws Exception {
        gate.decide(event -> Optional.of(FakeGate.blocked("no_github")));
        try (GuestEnd guest = guest()) {
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
                    + "{\"name\":\"github__t\",\"arguments\":{\"token\":\"s3cret\"}}}");

            JsonNode error = guest.reply().get("error");

            assertThat(error.get("code").asInt()).isEqualTo(-32600);
            assertThat(error.get("message").asString())
                    .isEqualTo("MCP request blocked by policy: security.rules.mcp.no_github");
            assertThat(error.at("/data/decision").asString()).isEqualTo("block");
            assertThat(error.at("/data/rule").asString()).isEqualTo("security.rules.mcp.no_github");
            assertThat(error.at("/data/reason").asString()).isEqualTo("because of no_github");
            assertThat(error.at("/data/remedy").asString()).isNotEmpty();
            assertThat(backend.reached).isEmpty();
        }
        McpRow row = sink.rows().getFirst();
        assertThat(row.decision()).isEqualTo(Outcome.DENIED);
        assertThat(row.duration()).isPositive();
        assertThat(row.requestPreview())
                .hasValue("{\"name\":\"github__t\",\"arguments\":{\"redacted_by_policy\":true}}");
        assertThat(row.policy().action()).hasValue("block");
        assertThat(sink.evidence()).isEmpty();
    }

    @Test
    void aQuestionThatNobodyAnswersReachesNobody() throws Exception {
        gate.decide(event -> Optional.of(FakeGate.asked("unsure")));
        try (GuestEnd guest = guest()) {
            guest.request(call(1, "github__t"));

            JsonNode error = guest.reply().get("error");

            assertThat(error.get("code").asInt()).isEqualTo(-32600);
            assertThat(error.at("/data/decision").asString()).isEqualTo("ask");
            assertThat(backend.reached).isEmpty();
        }
    }

    @Test
    void anApprovedQuestionGoesOnAndAWithdrawnOneIsTakenBack() throws Exception {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        CompletableFuture<Void> wasAsked = new CompletableFuture<>();
        approvals = (event, asked) -> {
            wasAsked.complete(null);
            return answer;
        };
        gate.decide(
                event -> event instanceof McpRequest request && request.method().equals("tools/call")
                        ? Optional.of(FakeGate.asked("unsure"))
                        : Optional.empty());
        try (GuestEnd guest = guest()) {
            guest.request(call(1, "github__t"));
            wasAsked.join();
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
            assertThat(guest.reply().get("id").asInt()).isEqualTo(2);
            answer.complete(new Answer.Approved(Answer.Scope.ONCE, "cli"));

            assertThat(guest.reply().at("/result/content/0/text").asString()).isEqualTo("{}");
        }
        CompletableFuture<Answer> never = new CompletableFuture<>();
        CompletableFuture<Void> askedAgain = new CompletableFuture<>();
        approvals = (event, asked) -> {
            askedAgain.complete(null);
            return never;
        };
        try (GuestEnd guest = guest()) {
            guest.request(call(7, "github__t"));
            askedAgain.join();
            guest.alone("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}");

            assertThat(guest.next().orElseThrow().payload()).isEmpty();
            assertThat(never).isCancelled();
        }
    }

    @Test
    void rewrittenArgumentsAreWhatTheBackendSees() throws Exception {
        gate.decide(event ->
                event instanceof McpRequest request && request.method().equals("tools/call")
                        ? Optional.of(FakeGate.rewritten(
                                request.withArguments(JsonDocument.of(Map.of("q", "[masked]"))), "mask"))
                        : Optional.empty());
        try (GuestEnd guest = guest()) {
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
                    + "{\"name\":\"github__t\",\"arguments\":{\"q\":\"s3cret\"}}}");

            assertThat(guest.reply().at("/result/content/0/text").asString()).isEqualTo("{\"q\":\"[masked]\"}");
        }
        McpRow row = sink.rows().getFirst();
        assertThat(row.requestPreview().orElseThrow()).contains("[masked]").doesNotContain("s3cret");
        assertThat(row.policy().action()).hasValue("rewrite");
    }

    @Test
    void aBlockedResponseIsReplacedAndARewrittenOneChanged() throws Exception {
        gate.decide(event -> event instanceof McpResponse ? Optional.of(FakeGate.blocked("leak")) : Optional.empty());
        try (GuestEnd guest = guest()) {
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
                    + "{\"name\":\"github__t\",\"arguments\":{\"q\":\"s3cret\"}}}");
            JsonNode reply = guest.reply();

            assertThat(reply.at("/error/message").asString())
                    .isEqualTo("MCP response blocked by policy: security.rules.mcp.leak");
            assertThat(Json.text(reply)).doesNotContain("s3cret");
            assertThat(backend.reached).hasSize(1);
            assertThat(sink.rows().getFirst().decision()).isEqualTo(Outcome.DENIED);
            assertThat(sink.rows().getFirst().responsePreview()).isEmpty();
        }
        gate.decide(event -> event instanceof McpResponse response
                ? Optional.of(
                        FakeGate.rewritten(response.withContent(JsonDocument.of(Map.of("content", List.of()))), "mask"))
                : Optional.empty());
        try (GuestEnd guest = guest()) {
            guest.request(call(1, "github__t"));

            assertThat(Json.text(guest.reply().get("result"))).isEqualTo("{\"content\":[]}");
        }
    }

    @Test
    void whatCannotBeRecordedDoesNotHappen() throws Exception {
        sink.isClosed = true;
        try (GuestEnd guest = guest()) {
            guest.request(call(1, "github__t"));

            assertThat(guest.reply().at("/error/code").asInt()).isEqualTo(-32603);
            assertThat(backend.reached).isEmpty();
        }
    }

    @Test
    void nothingBeginsWhileTheRecordIsFullAndTheClientIsToldWhy() throws Exception {
        try (GuestEnd guest = guest()) {
            sink.isFull = true;
            guest.request(call(1, "github__t"));
            JsonNode refused = guest.reply();
            assertThat(refused.at("/error/data/code").asString()).isEqualTo("record_unavailable");
            assertThat(refused.at("/error/data/reason").asString()).contains("the disk is full");
            assertThat(backend.reached).isEmpty();
            assertThat(sink.recorded).isEmpty();

            sink.isFull = false;
            guest.request(call(2, "github__t"));
            assertThat(guest.reply().has("result")).isTrue();
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}");
            assertThat(guest.reply().get("id").asInt()).isEqualTo(3);
        }
        assertThat(sink.places).hasValue(0);
    }

    @Test
    void anAnswerThatCannotBeRecordedIsNotDelivered() throws Exception {
        gate.decide(event -> {
            sink.isClosed = event instanceof McpResponse;
            return Optional.empty();
        });
        try (GuestEnd guest = guest()) {
            guest.request(call(1, "github__t"));
            JsonNode reply = guest.reply();

            assertThat(backend.reached).hasSize(1);
            assertThat(reply.has("result")).isFalse();
            assertThat(reply.at("/error/data/code").asString()).isEqualTo("record_unavailable");
        }
    }

    @Test
    void aToolThatIsNotWhatItWasIsAskedAbout() throws Exception {
        AtomicInteger approvedCount = new AtomicInteger();
        trust = new ToolTrust() {
            @Override
            public ToolStanding standing(String backendName) {
                return approvedCount.get() > 0
                        ? new ToolStanding.Agreed()
                        : new ToolStanding.Doubtful("2", "its description changed");
            }

            @Override
            public List<CatalogEntry> shown(List<CatalogEntry> tools) {
                return tools;
            }

            @Override
            public void approved(String backendName, String version) {
                assertThat(version).isEqualTo("2");
                approvedCount.incrementAndGet();
            }
        };
        try (GuestEnd guest = guest()) {
            guest.request(call(1, "github__t"));
            assertThat(guest.reply().at("/error/data/decision").asString()).isEqualTo("ask");
            assertThat(backend.reached).isEmpty();
        }
        approvals =
                (event, asked) -> CompletableFuture.completedFuture(new Answer.Approved(Answer.Scope.ALWAYS, "cli"));
        try (GuestEnd guest = guest()) {
            guest.request(call(1, "github__t"));

            assertThat(guest.reply().has("result")).isTrue();
            assertThat(approvedCount.get()).isEqualTo(1);
        }
    }

    // --- time, cancellation, progress ---------------------------------------------------------------------------

    @Test
    void aCallThatTakesTooLongFailsAndIsCalledOff() throws Exception {
        limits = McpLimits.DEFAULT.with(64, Duration.ofMillis(40), Duration.ofMillis(40));
        try (GuestEnd guest = guest()) {
            guest.request(call(1, "slow__hang"));

            JsonNode error = guest.reply().get("error");

            assertThat(error.get("code").asInt()).isEqualTo(-32000);
            assertThat(error.get("message").asString()).isEqualTo("MCP request timed out after 40 ms");
            backend.next();
            assertThat(backend.next()).isInstanceOf(Operation.Cancel.class);
        }
    }

    @Test
    void aCancelledCallIsCalledOffAndNotAnswered() throws Exception {
        try (GuestEnd guest = guest()) {
            long stream = guest.request(call(5, "slow__hang"));
            backend.next();
            long id = backend.lastCall();

            guest.alone("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}");

            McpFrame last = guest.next().orElseThrow();
            assertThat(last.streamId()).isEqualTo(stream);
            assertThat(last.payload()).isEmpty();
            assertThat(backend.next()).isEqualTo(new Operation.Cancel(id, Optional.of("the client cancelled it")));
        }
        assertThat(sink.rows().getLast().errorMessage()).hasValue("cancelled by the client");
    }

    @Test
    void aCancellationRightBehindItsCallIsNotLost() throws Exception {
        try (GuestEnd guest = guest()) {
            // In one piece, so that both are there before the call's own thread is.
            for (int id = 1; id <= 300; id++) {
                ByteArrayOutputStream both = new ByteArrayOutputStream();
                both.writeBytes(frame(id, call(id, "slow__hang")));
                both.writeBytes(frame(
                        0,
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" + id
                                + "}}"));
                guest.sendBytes(both.toByteArray());

                assertThat(guest.next().orElseThrow().payload()).isEmpty();
            }
        }
    }

    private static byte[] frame(long stream, String json) {
        return McpFrames.encode(new McpFrame(stream, "claude", json.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void progressArrivesUnderTheClientsOwnToken() throws Exception {
        try (GuestEnd guest = guest()) {
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
                    + "{\"name\":\"slow__hang\",\"_meta\":{\"progressToken\":\"mine\"}}}");
            assertThat(backend.next()).isInstanceOfSatisfying(Operation.CallTool.class, call -> {
                assertThat(call.wantsProgress()).isTrue();
                assertThat(call.meta()).isEmpty();
            });
            long id = backend.lastCall();

            backend.sayInCourseOf(
                    id,
                    new AggregatorEvent.ServerNotification(
                            "slow", OptionalLong.of(id), "notifications/progress", Optional.of((ObjectNode)
                                    Json.parse("{\"progressToken\":77,\"progress\":0.5}"))));

            assertThat(guest.replyText())
                    .isEqualTo("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
                            + "\"params\":{\"progressToken\":\"mine\",\"progress\":0.5}}");
        }
    }

    // --- servers speak ------------------------------------------------------------------------------------------

    @Test
    void changedListsAreToldToEveryClientUnlessARuleObjects() throws Exception {
        McpEndpoint endpoint = endpoint();
        try (GuestEnd one = new GuestEnd(endpoint, "a");
                GuestEnd two = new GuestEnd(endpoint, "b")) {
            one.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
            one.reply();
            two.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
            two.reply();

            backend.say(listChanged());

            assertThat(one.replyText()).contains("notifications/tools/list_changed");
            assertThat(two.replyText()).contains("notifications/tools/list_changed");
            gate.decide(event ->
                    event instanceof McpRequest request && request.method().startsWith("notifications/tools")
                            ? Optional.of(FakeGate.blocked("quiet"))
                            : Optional.empty());
            backend.say(listChanged());
            one.request("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
            assertThat(one.reply().get("id").asInt()).isEqualTo(2);
        }
    }

    @Test
    void onlySubscribersHearOfAResource() throws Exception {
        McpEndpoint endpoint = endpoint();
        try (GuestEnd one = new GuestEnd(endpoint, "a");
                GuestEnd two = new GuestEnd(endpoint, "b")) {
            one.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\","
                    + "\"params\":{\"uri\":\"capsem://s/test://x\"}}");
            assertThat(Json.text(one.reply().get("result"))).isEqualTo("{}");
            assertThat(backend.next()).isEqualTo(new Operation.Subscribe("capsem://s/test://x"));

            backend.say(new AggregatorEvent.ServerNotification(
                    "s",
                    OptionalLong.empty(),
                    "notifications/resources/updated",
                    Optional.of(Json.object().put("uri", "test://x"))));

            assertThat(one.replyText()).contains("\"uri\":\"capsem://s/test://x\"");
            two.request("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
            assertThat(two.reply().get("id").asInt()).isEqualTo(2);
            one.finish();
            one.awaitEnd();
            assertThat(backend.next()).isEqualTo(new Operation.Unsubscribe("capsem://s/test://x"));
        }
    }

    @Test
    void whatServersSayIsKeptFromTheClientWhileTheRecordIsFull() throws Exception {
        McpEndpoint endpoint = endpoint();
        try (GuestEnd guest = new GuestEnd(endpoint, "a")) {
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":"
                    + "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"roots\":{}}}}");
            guest.reply();
            int before = sink.recorded.size();
            sink.isFull = true;
            backend.say(listChanged());
            backend.say(
                    new AggregatorEvent.ServerRequest("s", OptionalLong.empty(), 42, "roots/list", Optional.empty()));
            assertThat(backend.next())
                    .isInstanceOfSatisfying(
                            Operation.Answer.class,
                            answer -> assertThat(answer.outcome().toString()).contains("record_unavailable"));
            sink.isFull = false;

            guest.request("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
            assertThat(guest.reply().get("id").asInt()).isEqualTo(2);
            assertThat(sink.recorded).hasSize(before + 2);
        }
    }

    @Test
    void logMessagesBelowTheLevelAreKeptFromTheClient() throws Exception {
        try (GuestEnd guest = guest()) {
            guest.request(
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"logging/setLevel\",\"params\":{\"level\":\"error\"}}");
            guest.reply();

            backend.say(log("info"));
            backend.say(log("critical"));

            assertThat(guest.reply().at("/params/level").asString()).isEqualTo("critical");
        }
    }

    @Test
    void aServersQuestionGoesToTheClientThatCanAnswerIt() throws Exception {
        try (GuestEnd guest = guest()) {
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
                    + "\"2025-06-18\",\"capabilities\":{\"sampling\":{}},\"clientInfo\":{}}}");
            guest.reply();
            backend.say(new AggregatorEvent.ServerRequest(
                    "s",
                    OptionalLong.empty(),
                    41,
                    "sampling/createMessage",
                    Optional.of(Json.object().put("m", 1))));

            JsonNode question = guest.reply();
            assertThat(question.get("method").asString()).isEqualTo("sampling/createMessage");
            guest.alone("{\"jsonrpc\":\"2.0\",\"id\":\"" + question.get("id").asString()
                    + "\",\"result\":{\"role\":\"assistant\"}}");

            assertThat(backend.next())
                    .isEqualTo(new Operation.Answer(
                            41, new Operation.Outcome.Success(Json.object().put("role", "assistant"))));
            assertThat(sink.rows().stream().map(McpRow::method)).contains("sampling/createMessage");
            assertThat(sink.rows().stream().map(McpRow::serverName)).contains("s");
        }
    }

    @Test
    void aServersQuestionThatNobodyCanAnswerIsRefused() throws Exception {
        try (GuestEnd guest = guest()) {
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
            guest.reply();

            backend.say(
                    new AggregatorEvent.ServerRequest("s", OptionalLong.empty(), 42, "roots/list", Optional.empty()));

            assertThat(backend.next()).isInstanceOfSatisfying(Operation.Answer.class, answer -> {
                assertThat(answer.token()).isEqualTo(42);
                assertThat(answer.outcome()).isInstanceOf(Operation.Outcome.Refusal.class);
            });
        }
    }

    @Test
    void aServersQuestionIsJudgedLikeAllElse() throws Exception {
        gate.decide(
                event -> event instanceof McpRequest request && request.method().equals("sampling/createMessage")
                        ? Optional.of(FakeGate.blocked("no_sampling"))
                        : Optional.empty());
        try (GuestEnd guest = guest()) {
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
                    + "\"2025-06-18\",\"capabilities\":{\"sampling\":{}},\"clientInfo\":{}}}");
            guest.reply();

            backend.say(new AggregatorEvent.ServerRequest(
                    "s", OptionalLong.empty(), 43, "sampling/createMessage", Optional.empty()));

            assertThat(backend.next())
                    .isInstanceOfSatisfying(
                            Operation.Answer.class,
                            answer -> assertThat(answer.outcome())
                                    .isInstanceOfSatisfying(
                                            Operation.Outcome.Refusal.class,
                                            refusal -> assertThat(
                                                            refusal.error().code())
                                                    .isEqualTo(-32600)));
        }
    }

    // --- frames and streams -------------------------------------------------------------------------------------

    @Test
    void repliesComeInTheOrderInWhichTheyAreReady() throws Exception {
        try (GuestEnd guest = guest()) {
            guest.request(call(1, "slow__hang"));
            long second = guest.request("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");

            assertThat(guest.next().orElseThrow().streamId()).isEqualTo(second);
        }
    }

    @Test
    void readingStopsAtTheLimitAndGoesOnWhenACallIsOver() throws Exception {
        limits = McpLimits.DEFAULT.with(2, Duration.ofSeconds(20), Duration.ofSeconds(20));
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        gate.decide(event -> {
            if (event instanceof McpRequest) {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
            } else {
                running.decrementAndGet();
            }
            return Optional.empty();
        });
        try (GuestEnd guest = guest()) {
            Thread sender = Thread.ofVirtual().start(() -> {
                for (int i = 1; i <= 300; i++) {
                    try {
                        guest.request(call(i, "github__t"));
                    } catch (IOException e) {
                        return;
                    }
                }
            });
            for (int i = 1; i <= 300; i++) {
                assertThat(guest.next()).isPresent();
            }
            sender.join();
        }
        assertThat(most.get()).isBetween(1, 2);
    }

    @Test
    void whatWasAskedBeforeTheEndIsStillAnswered() throws Exception {
        try (GuestEnd guest = guest()) {
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
            guest.request(call(2, "github__t"));
            guest.finish();

            assertThat(guest.next()).isPresent();
            assertThat(guest.next()).isPresent();
            assertThat(guest.next()).isEmpty();
            guest.awaitEnd();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nonsense | -32700",
                "[] | -32600",
                "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"} | -32600",
            })
    void brokenPayloadsAreAnsweredAndTheConnectionStays(String payload, int code) throws Exception {
        try (GuestEnd guest = guest()) {
            guest.request(payload);
            assertThat(guest.reply().at("/error/code").asInt()).isEqualTo(code);

            guest.request("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
            assertThat(guest.reply().get("id").asInt()).isEqualTo(2);
        }
    }

    @Test
    void aBrokenHeaderIsAnsweredOnItsStreamAndTheConnectionStays() throws Exception {
        try (GuestEnd guest = guest()) {
            byte[] frame = McpFrames.encode(new McpFrame(9, "x", "{}".getBytes(StandardCharsets.UTF_8)));
            frame[6] = 2;
            guest.sendBytes(frame);

            McpFrame reply = guest.next().orElseThrow();

            assertThat(reply.streamId()).isEqualTo(9);
            assertThat(new String(reply.payload(), StandardCharsets.UTF_8))
                    .isEqualTo("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"invalid MCP frame\"}}");
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
            assertThat(guest.next()).isPresent();
        }
    }

    @Test
    void aStreamUsedTwiceEndsTheConnection() throws Exception {
        try (GuestEnd guest = guest()) {
            McpFrame frame = new McpFrame(
                    3, "", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}".getBytes(StandardCharsets.UTF_8));
            guest.send(frame);
            guest.send(frame);

            assertThatThrownBy(guest::awaitEnd).hasMessageContaining("a stream id was used before");
        }
    }

    @Test
    void aLengthOutOfBoundsAndAnEndInsideAFrameEndTheConnection() throws Exception {
        try (GuestEnd guest = guest()) {
            guest.sendBytes(new byte[] {0x7F, 0, 0, 0});
            assertThatThrownBy(guest::awaitEnd).hasMessageContaining("length is out of bounds");
        }
        try (GuestEnd guest = guest()) {
            guest.sendBytes(new byte[] {0, 0, 0, 24, 'M', 'C'});
            guest.finish();
            assertThatThrownBy(guest::awaitEnd).hasMessageContaining("inside a frame");
        }
    }

    @Test
    void unknownNotificationsAreRefusedSilentlyAndRecorded() throws Exception {
        try (GuestEnd guest = guest()) {
            guest.alone("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/whatever\",\"params\":{\"x\":\"s3cret\"}}");
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");

            assertThat(guest.reply().get("id").asInt()).isEqualTo(1);
        }
        McpRow row = sink.rows().getFirst();
        assertThat(row.decision()).isEqualTo(Outcome.DENIED);
        assertThat(row.policy().rule()).hasValue("mcp.notification.disallowed");
        assertThat(row.requestPreview().orElseThrow()).doesNotContain("s3cret");
    }

    @Test
    void anEmptyNameFallsBackToTheConnections() throws Exception {
        try (GuestEnd guest = guest()) {
            guest.send(new McpFrame(
                    1, "", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}".getBytes(StandardCharsets.UTF_8)));
            guest.reply();
        }
        assertThat(sink.rows().getFirst().processName()).hasValue("node");
    }

    @Test
    void aResultTooLargeForAFrameIsAnErrorOfThatCallOnly() throws Exception {
        backend.behave(operation -> Optional.of(
                new AggregatorReply.Result(Json.object().put("text", "x".repeat(McpFrames.BODY_BYTES_MAX)))));
        try (GuestEnd guest = guest()) {
            guest.request(call(1, "github__t"));

            assertThat(guest.reply().at("/error/message").asString()).startsWith("response too large: ");
        }
    }

    private static AggregatorEvent listChanged() {
        return new AggregatorEvent.ServerNotification(
                "s", OptionalLong.empty(), "notifications/tools/list_changed", Optional.empty());
    }

    private static AggregatorEvent log(String level) {
        return new AggregatorEvent.ServerNotification(
                "s",
                OptionalLong.empty(),
                "notifications/message",
                Optional.of(Json.object().put("level", level).put("data", "d")));
    }

    private static String call(int id, String tool) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool
                + "\"}}";
    }
}
