package dev.capsem.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.mcp.pin.PinnedTools;
import dev.capsem.mcp.pin.ToolPins;
import dev.capsem.mcp.record.McpPorts;
import dev.capsem.wire.aggregator.AggregatorEvent.ServerNotification;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.aggregator.ServerStatus;
import dev.capsem.wire.json.Json;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/// What becomes of tools that are not, or may not be, what a person agreed to.
@Timeout(120)
class ChangedToolsTest {
    private static final String HONEST =
            "{\"name\":\"search\",\"description\":\"Finds pages.\",\"inputSchema\":{\"type\":\"object\"}}";
    private static final String POISONED =
            "{\"name\":\"search\",\"title\":\"POISON\",\"description\":\"Finds pages. POISON\",\"inputSchema\":"
                    + "{\"type\":\"object\",\"properties\":{\"POISON\":{\"type\":\"string\"}}}}";

    private final FakeGate gate = new FakeGate();
    private final FakeSink sink = new FakeSink();
    private final FakeBackend backend = new FakeBackend();
    private final InstantSource clock = InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z"));
    private final List<Evaluation> questions = new CopyOnWriteArrayList<>();
    private Runnable whileAsked = () -> {};
    private ToolPins pins = ToolPins.NONE;
    private Optional<PinnedTools> pinned = Optional.empty();
    private boolean isListingBroken;
    private Optional<String> troubleOfDocs = Optional.empty();
    private boolean isDocsConnected = true;

    @BeforeEach
    void offer() {
        backend.offer("docs", HONEST);
        backend.offer("other", "{\"name\":\"add\",\"inputSchema\":{\"type\":\"object\"}}");
        backend.behave(operation -> switch (operation) {
            case Operation.ListServers _ ->
                Optional.of(new AggregatorReply.Servers(List.of(
                        status("docs", isDocsConnected, troubleOfDocs), status("other", true, Optional.empty()))));
            case Operation.ListTools _ when isListingBroken -> Optional.of(AggregatorReply.Failed.of("gone"));
            default -> Optional.empty();
        });
    }

    @Test
    void aChangeIsAQuestionOfItsOwnWhateverWasSaidOfTheCall() throws Exception {
        gate.decide(
                event -> event instanceof McpRequest request && request.method().equals("tools/call")
                        ? Optional.of(FakeGate.asked("calls"))
                        : Optional.empty());
        try (GuestEnd guest = guest()) {
            assertThat(call(guest, 1, "docs__search").has("result")).isTrue();
            change(POISONED);

            assertThat(call(guest, 2, "docs__search").has("result")).isTrue();
            assertThat(call(guest, 3, "docs__search").has("result")).isTrue();
        }
        assertThat(questions).hasSize(4);
        assertThat(questions.get(2).rule()).as("a change belongs to no rule").isEmpty();
        assertThat(questions.get(2).reason().orElseThrow()).contains("changed since it was approved");
        assertThat(List.of(questions.get(0), questions.get(1), questions.get(3)))
                .allMatch(question -> question.rule().isPresent());
    }

    @Test
    void newWordsReachNoModelBeforeSomebodyAgreedToThem() throws Exception {
        try (GuestEnd guest = guest()) {
            assertThat(listed(guest, 1)).contains("Finds pages.", "docs__search");
            change(POISONED);
            backend.offer("docs", "{\"name\":\"late\",\"description\":\"POISON\",\"inputSchema\":{}}");

            assertThat(listed(guest, 2))
                    .contains("docs__search", "docs__late")
                    .doesNotContain("POISON", "Finds pages.");
            assertThat(call(guest, 3, "docs__search").has("result")).isTrue();
            assertThat(listed(guest, 4)).contains("Finds pages. POISON");
        }
        assertThat(questions).hasSize(1);
    }

    /// The list may say one thing and, before it was announced, another.
    @Test
    void aListIsReadAsItIsNotAsItWasPinned() throws Exception {
        try (GuestEnd guest = guest()) {
            listed(guest, 1);
            replace(POISONED);

            assertThat(listed(guest, 2)).doesNotContain("POISON");
        }
    }

    @Test
    void anApprovalIsForTheVersionThatWasAskedAbout() throws Exception {
        try (GuestEnd guest = guest()) {
            call(guest, 1, "docs__search");
            change(POISONED);
            whileAsked = () -> change(POISONED.replace("Finds pages", "Now steals pages"));

            JsonNode refused = call(guest, 2, "docs__search");

            assertThat(refused.at("/error/data/reason").asString()).contains("changed again");
            assertThat(refused.at("/error/data/rule").asString()).isEqualTo("mcp.tool_changed");
            assertThat(refused.at("/error/data/decision").asString()).isEqualTo("block");
            assertThat(refused.at("/error/data/remedy").asString())
                    .contains("call it again")
                    .doesNotContain("approve it, then");
            whileAsked = () -> {};
            assertThat(listed(guest, 3)).doesNotContain("steals");
        }
        assertThat(calls()).isEqualTo(1);
        assertThat(sink.rows())
                .filteredOn(row -> row.decision() == Outcome.DENIED)
                .hasSize(1);
    }

    /// Whoever lists tools while a person is asked has them looked at: that look is nothing the person has seen.
    @Test
    void anApprovalDoesNotPassToAVersionThatWasSeenMeanwhile() throws Exception {
        try (GuestEnd guest = guest()) {
            call(guest, 1, "docs__search");
            change(POISONED);
            whileAsked = () -> {
                change(POISONED.replace("Finds pages", "Now steals pages"));
                ToolPins _ = pinned.orElseThrow().current();
            };
            assertThat(call(guest, 2, "docs__search").has("error")).isTrue();

            assertThat(listed(guest, 3)).doesNotContain("steals");
        }
        assertThat(calls()).isEqualTo(1);
    }

    /// The host's own tools are agreed to; a name that only has theirs in it is not one of them.
    @Test
    void aToolNamedLikeOneOfTheHostsIsAskedAbout() throws Exception {
        try (GuestEnd guest = guest()) {
            listed(guest, 1);
            backend.offer("docs", "{\"name\":\"local__add\",\"description\":\"POISON\",\"inputSchema\":{}}");
            announce();

            assertThat(call(guest, 2, "docs__local__add").has("result")).isTrue();
        }
        assertThat(questions).hasSize(1);
    }

    /// Programs take their time to start; a call that comes before they are there waits for them.
    @Test
    void aServerThatIsStillConnectingIsWaitedFor() throws Exception {
        isDocsConnected = false;
        backend.behave(operation -> {
            if (operation instanceof Operation.ListServers(Optional<String> awaited)) {
                isDocsConnected |= awaited.equals(Optional.of("docs"));
                return Optional.of(new AggregatorReply.Servers(List.of(
                        status("docs", isDocsConnected, Optional.empty()), status("other", true, Optional.empty()))));
            }
            return operation instanceof Operation.ListTools && !isDocsConnected
                    ? Optional.of(new AggregatorReply.Page(AggregatorReply.Kind.TOOLS, List.of(), Optional.empty()))
                    : Optional.empty();
        });
        try (GuestEnd guest = guest()) {
            assertThat(call(guest, 1, "docs__search").has("result")).isTrue();
        }
        assertThat(questions).isEmpty();
    }

    /// Two lists are not one moment: a server that comes up in between is in the second alone.
    @Test
    void aServerThatConnectsBetweenTwoListsHasItsTools() throws Exception {
        isDocsConnected = false;
        backend.behave(operation -> {
            boolean wasConnected = isDocsConnected;
            isDocsConnected |= operation instanceof Operation.ListServers || operation instanceof Operation.ListTools;
            return switch (operation) {
                case Operation.ListServers _ ->
                    Optional.of(new AggregatorReply.Servers(List.of(status("docs", wasConnected, Optional.empty()))));
                case Operation.ListTools _
                when !wasConnected ->
                    Optional.of(new AggregatorReply.Page(AggregatorReply.Kind.TOOLS, List.of(), Optional.empty()));
                default -> Optional.empty();
            };
        });
        try (GuestEnd guest = guest()) {
            assertThat(call(guest, 1, "docs__search").has("result")).isTrue();
        }
    }

    @Test
    void whileAServerDoesNotListItsToolsTheyAreAskedAboutAndNoOthers() throws Exception {
        try (GuestEnd guest = guest()) {
            call(guest, 1, "docs__search");
            troubleOfDocs = Optional.of("it does not list its tools: the answer is no JSON");
            announce();

            assertThat(call(guest, 2, "other__add").has("result")).isTrue();
            assertThat(questions).isEmpty();
            call(guest, 3, "docs__search");
            call(guest, 4, "docs__never_seen");
        }
        assertThat(questions).hasSize(2).allMatch(question -> question.rule().isEmpty());
        assertThat(questions.get(0).reason().orElseThrow()).contains("docs__search may have changed");
        assertThat(questions.get(1).reason().orElseThrow()).contains("docs__never_seen was never seen");
    }

    @Test
    void withoutAListNothingUnknownGoesThrough() throws Exception {
        isListingBroken = true;
        try (GuestEnd guest = guest()) {
            assertThat(call(guest, 1, "docs__search").at("/error/message").asString())
                    .contains("the list of tools cannot be had");
        }
        assertThat(calls()).isZero();
        assertThat(sink.rows()).singleElement().satisfies(row -> {
            assertThat(row.toolName()).hasValue("docs__search");
            assertThat(row.decision()).isEqualTo(Outcome.ERROR);
        });
    }

    /// A look that failed was no look: the next call must not take the old one for it.
    @Test
    void aToolThatMayHaveChangedStaysBarredUntilTheListIsSeen() throws Exception {
        try (GuestEnd guest = guest()) {
            call(guest, 1, "docs__search");
            isListingBroken = true;
            change(POISONED);

            for (int id = 2; id <= 4; id++) {
                assertThat(call(guest, id, "docs__search").at("/error/message").asString())
                        .contains("the list of tools cannot be had");
            }
            assertThat(calls()).isEqualTo(1);
            isListingBroken = false;
            assertThat(call(guest, 5, "docs__search").has("result")).isTrue();
        }
        assertThat(questions).hasSize(1);
    }

    @Test
    void aToolOfAServerThatIsAwayFailsAtOnceAndReachesNobody() throws Exception {
        try (GuestEnd guest = guest()) {
            call(guest, 1, "docs__search");
            isDocsConnected = false;
            backend.tools.removeFirst();
            announce();

            assertThat(call(guest, 2, "docs__search").at("/error/message").asString())
                    .isEqualTo("tool call failed: MCP server not running: docs");
        }
        assertThat(questions).isEmpty();
        assertThat(calls()).isEqualTo(1);
    }

    @Test
    void wherePinsWereLostNothingIsTakenAsItIs() throws Exception {
        pins = ToolPins.NONE.doubted();
        try (GuestEnd guest = guest()) {
            assertThat(listed(guest, 1)).doesNotContain("Finds pages.");
            assertThat(call(guest, 2, "docs__search").has("result")).isTrue();
        }
        assertThat(questions).hasSize(1);
    }

    /// A server that shows its tools only when nobody looks any more has been met all the same.
    @Test
    void whatAServerAddsAfterAnEmptyListIsAskedAbout() throws Exception {
        backend.tools.removeFirst();
        try (GuestEnd guest = guest()) {
            assertThat(listed(guest, 1)).doesNotContain("docs__");
            backend.offer("docs", POISONED);
            announce();

            assertThat(listed(guest, 2)).contains("docs__search").doesNotContain("POISON");
            assertThat(questions).isEmpty();
            assertThat(call(guest, 3, "docs__search").has("result")).isTrue();
        }
        assertThat(questions).singleElement().satisfies(question -> {
            assertThat(question.rule()).isEmpty();
            assertThat(question.reason().orElseThrow()).contains("docs__search is not approved");
        });
    }

    /// Nobody has seen the list of a server that is not there: it is met when it comes.
    @Test
    void aServerThatWasAwayIsMetWhenItComes() throws Exception {
        isDocsConnected = false;
        JsonNode honest = backend.tools.removeFirst().definition();
        try (GuestEnd guest = guest()) {
            listed(guest, 1);
            isDocsConnected = true;
            backend.offer("docs", Json.text(honest));
            announce();

            assertThat(listed(guest, 2)).contains("Finds pages.");
            assertThat(call(guest, 3, "docs__search").has("result")).isTrue();
        }
        assertThat(questions).isEmpty();
    }

    /// The same for one that is there and cannot say what it has.
    @Test
    void aServerThatCouldNotListIsMetWhenItDoes() throws Exception {
        troubleOfDocs = Optional.of("it does not list its tools: the answer is no JSON");
        JsonNode honest = backend.tools.removeFirst().definition();
        try (GuestEnd guest = guest()) {
            listed(guest, 1);
            troubleOfDocs = Optional.empty();
            backend.offer("docs", Json.text(honest));
            announce();

            assertThat(call(guest, 2, "docs__search").has("result")).isTrue();
        }
        assertThat(questions).isEmpty();
    }

    private int toolsOf(String server) {
        return (int) backend.tools.stream()
                .filter(tool -> tool.server().equals(server))
                .count();
    }

    /// It was there when the call came, and is not when a person has answered.
    @Test
    void aToolThatGoesWhileItIsAskedAboutIsRefusedWithARemedyThatHelps() throws Exception {
        gate.decide(
                event -> event instanceof McpRequest request && request.method().equals("tools/call")
                        ? Optional.of(FakeGate.asked("calls"))
                        : Optional.empty());
        try (GuestEnd guest = guest()) {
            listed(guest, 1);
            whileAsked = () -> {
                backend.tools.removeFirst();
                announce();
            };
            JsonNode missing = call(guest, 2, "docs__search");
            assertThat(missing.at("/error/data/rule").asString()).isEqualTo("mcp.tool_gone");
            assertThat(missing.at("/error/data/decision").asString()).isEqualTo("block");
            assertThat(missing.at("/error/data/remedy").asString()).contains("tools/list");

            backend.offer("docs", HONEST);
            announce();
            listed(guest, 3);
            whileAsked = () -> {
                isDocsConnected = false;
                announce();
            };
            JsonNode away = call(guest, 4, "docs__search");
            assertThat(away.at("/error/data/rule").asString()).isEqualTo("mcp.server_away");
            assertThat(away.at("/error/data/reason").asString()).contains("not running: docs");
            assertThat(away.at("/error/data/remedy").asString()).contains("capsem mcp list");
        }
        assertThat(calls()).isZero();
        assertThat(sink.rows())
                .filteredOn(row -> row.decision() == Outcome.DENIED)
                .hasSize(2);
    }

    private void change(String definition) {
        replace(definition);
        announce();
    }

    private void replace(String definition) {
        backend.tools.removeFirst();
        backend.offer("docs", definition);
        backend.tools.addFirst(backend.tools.removeLast());
    }

    private void announce() {
        backend.say(new ServerNotification(
                "docs", OptionalLong.empty(), "notifications/tools/list_changed", Optional.empty()));
    }

    private long calls() {
        return backend.reached.stream()
                .filter(Operation.CallTool.class::isInstance)
                .count();
    }

    private ServerStatus status(String name, boolean isConnected, Optional<String> error) {
        return new ServerStatus(
                name, Optional.empty(), true, "profile", false, isConnected, toolsOf(name), 0, 0, error);
    }

    private static JsonNode call(GuestEnd guest, int id, String tool) throws Exception {
        guest.request("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/call\",\"params\":{\"name\":\"" + tool
                + "\",\"arguments\":{}}}");
        return reply(guest, id);
    }

    private static String listed(GuestEnd guest, int id) throws Exception {
        guest.request("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"tools/list\"}");
        return Json.text(reply(guest, id));
    }

    /// Announcements come in between.
    private static JsonNode reply(GuestEnd guest, int id) throws Exception {
        JsonNode reply = guest.reply();
        while (reply.path("id").asInt(-1) != id) {
            reply = guest.reply();
        }
        return reply;
    }

    private GuestEnd guest() throws Exception {
        ApprovalDesk desk = (event, asked) -> {
            questions.add(asked);
            whileAsked.run();
            return CompletableFuture.completedFuture(new Answer.Approved(Answer.Scope.SESSION, "me"));
        };
        IdSource ids = new IdSource(clock, new Random(1));
        PinnedTools trust = new PinnedTools(backend, pins, clock, review -> {});
        pinned = Optional.of(trust);
        McpPorts ports = new McpPorts(
                gate,
                desk,
                correlation -> Envelope.inline(ids.nextEventId(), clock.instant(), Attribution.UNKNOWN, correlation),
                sink,
                trust);
        return GuestEnd.to(ports, backend, clock, ids);
    }
}
