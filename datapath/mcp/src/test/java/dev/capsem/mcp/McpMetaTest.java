package dev.capsem.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent.McpRequest;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.mcp.record.McpPorts;
import dev.capsem.mcp.record.ToolTrust;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.json.Json;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/// `_meta` of a request: no more of it reaches a server than rules saw.
@Timeout(120)
class McpMetaTest {
    private final FakeGate gate = new FakeGate();
    private final FakeSink sink = new FakeSink();
    private final FakeBackend backend = new FakeBackend();
    private final InstantSource clock = InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z"));

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "tools/call; 'name':'docs__search'",
                "prompts/get; 'name':'docs__p'",
                "resources/read; 'uri':'capsem://docs/x://y'",
                "completion/complete; 'ref':{'type':'ref/prompt','name':'docs__p'}"
            })
    void rulesSeeWhatStandsBesideTheArguments(String method, String params) throws Exception {
        gate.decide(event -> event instanceof McpRequest request
                        && request.meta()
                                .map(JsonDocument::text)
                                .filter(text -> text.contains("prod-token"))
                                .isPresent()
                ? Optional.of(FakeGate.blocked("leak"))
                : Optional.empty());
        try (GuestEnd guest = guest()) {
            JsonNode reply = ask(guest, method, params + ",'_meta':{'deep':['prod-token']}");

            assertThat(reply.has("error")).isTrue();
        }
        assertThat(backend.reached).isEmpty();
        assertThat(sink.rows()).singleElement().satisfies(row -> {
            assertThat(row.decision()).isEqualTo(Outcome.DENIED);
            assertThat(row.requestPreview().orElseThrow())
                    .contains("\"_meta\":{\"redacted_by_policy\":true}")
                    .doesNotContain("prod-token");
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {"{'progressToken':'prod-token'}", "'prod-token'", "['prod-token']"})
    void whatRulesDoNotSeeIsNotSent(String meta) throws Exception {
        try (GuestEnd guest = guest()) {
            ask(guest, "completion/complete", "'ref':{'type':'ref/prompt','name':'docs__p'},'_meta':" + meta);
            ask(guest, "tools/call", "'name':'docs__search','_meta':" + meta);
        }
        assertThat(gate.seen)
                .filteredOn(McpRequest.class::isInstance)
                .allMatch(event -> ((McpRequest) event).meta().isEmpty());
        assertThat(backend.reached).hasSize(2).noneMatch(sent -> sent.toString().contains("prod-token"));
    }

    @Test
    void metaThatIsAllowedArrives() throws Exception {
        try (GuestEnd guest = guest()) {
            ask(guest, "tools/call", "'name':'docs__search','_meta':{'trace':'1'}");
        }
        assertThat(backend.reached)
                .filteredOn(Operation.CallTool.class::isInstance)
                .singleElement()
                .satisfies(sent -> assertThat(((Operation.CallTool) sent).meta())
                        .hasValue(Json.object().put("trace", "1")));
    }

    private static JsonNode ask(GuestEnd guest, String method, String params) throws Exception {
        guest.request(
                ("{'jsonrpc':'2.0','id':1,'method':'" + method + "','params':{" + params + "}}").replace('\'', '"'));
        return guest.reply();
    }

    private GuestEnd guest() throws Exception {
        IdSource ids = new IdSource(clock, new Random(1));
        McpPorts ports = new McpPorts(
                gate,
                ApprovalDesk.NOBODY,
                correlation -> Envelope.inline(ids.nextEventId(), clock.instant(), Attribution.UNKNOWN, correlation),
                sink,
                ToolTrust.ALL);
        return GuestEnd.to(ports, backend, clock, ids);
    }
}
