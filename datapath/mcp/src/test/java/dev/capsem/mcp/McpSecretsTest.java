package dev.capsem.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.broker.GrantMode;
import dev.capsem.broker.Grants;
import dev.capsem.broker.Held;
import dev.capsem.broker.Placeholder;
import dev.capsem.broker.SecretGrant;
import dev.capsem.broker.SecretPlace;
import dev.capsem.broker.SecretValue;
import dev.capsem.events.row.Attribution;
import dev.capsem.events.row.Finding;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.exchange.leak.LeakGate;
import dev.capsem.mcp.backend.CleanBackend;
import dev.capsem.mcp.record.McpPorts;
import dev.capsem.mcp.record.ToolTrust;
import dev.capsem.wire.aggregator.AggregatorReply;
import dev.capsem.wire.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Credentials of the sandbox in MCP: stand-ins do not reach servers, values do not come back.
@Timeout(120)
class McpSecretsTest {
    private static final String VALUE = "ghp_VALUE0123456789abcdefghijKLMNOPqrst";
    private static final String STAND_IN = "ghp_stand0in123456789ABCDEFGHIJklmnopqr";

    private final FakeGate rules = new FakeGate();
    private final FakeSink sink = new FakeSink();
    private final FakeBackend backend = new FakeBackend();
    private final InstantSource clock = InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z"));
    private final Grants grants = Grants.of(List.of(new Held(
            new SecretGrant(
                    "forge",
                    List.of("forge.example"),
                    List.of(new SecretPlace.Basic()),
                    Set.of(),
                    List.of(),
                    GrantMode.PLACEHOLDER,
                    Optional.empty(),
                    1,
                    false),
            new Placeholder(STAND_IN),
            Optional.of(SecretValue.of(VALUE)),
            Optional.empty())));

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "tools/call; 'name':'docs__search','arguments':{'q':'STAND_IN'}",
                "tools/call; 'name':'docs__search','_meta':{'q':['STAND_IN']}",
                "prompts/get; 'name':'docs__p','arguments':{'STAND_IN':'x'}",
                "resources/read; 'uri':'capsem://docs/x://STAND_IN'",
                "completion/complete; 'ref':{'type':'ref/prompt','name':'docs__p'},'argument':{'value':'STAND_IN'}"
            })
    void aStandInReachesNoServer(String method, String params) throws Exception {
        try (GuestEnd guest = guest()) {
            JsonNode reply = ask(guest, method, params.replace("STAND_IN", STAND_IN));

            assertThat(reply.path("error").path("data").path("reason").asString())
                    .startsWith("placeholder_leak: the placeholder of grant forge");
        }
        assertThat(backend.reached).isEmpty();
        assertThat(sink.rows())
                .singleElement()
                .satisfies(row -> assertThat(row.decision()).isEqualTo(Outcome.DENIED));
        assertThat(sink.recorded)
                .flatMap(exchange -> exchange.event().findings())
                .extracting(Finding::ruleId)
                .contains("capsem.placeholder_leak");
    }

    @Test
    void aValueInAResultComesBackAsTheStandIn() throws Exception {
        String base64 = Base64.getEncoder().encodeToString(("x:" + VALUE).getBytes(StandardCharsets.UTF_8));
        ObjectNode result = Json.object().put(VALUE, 1);
        result.putArray("content").addObject().put("type", "text").put("text", "it is " + VALUE + " or " + base64);
        backend.behave(_ -> Optional.of(new AggregatorReply.Result(result)));
        try (GuestEnd guest = guest()) {
            String reply = ask(guest, "tools/call", "'name':'docs__search'").toString();

            assertThat(reply)
                    .contains("it is " + STAND_IN)
                    .doesNotContain(VALUE)
                    .doesNotContain(base64);
        }
        assertThat(rules.seen.toString() + sink.recorded).doesNotContain(VALUE);
    }

    @Test
    void aValueInARefusalComesBackAsTheStandIn() throws Exception {
        backend.behave(_ -> Optional.of(new AggregatorReply.Failed(
                "no " + VALUE, OptionalInt.of(-32000), Optional.of(Json.array().add(VALUE)))));
        try (GuestEnd guest = guest()) {
            String reply = ask(guest, "tools/call", "'name':'docs__search'").toString();

            assertThat(reply).contains("no " + STAND_IN).doesNotContain(VALUE);
        }
    }

    private static JsonNode ask(GuestEnd guest, String method, String params) throws Exception {
        guest.request(
                ("{'jsonrpc':'2.0','id':1,'method':'" + method + "','params':{" + params + "}}").replace('\'', '"'));
        return guest.reply();
    }

    private GuestEnd guest() throws Exception {
        IdSource ids = new IdSource(clock, new Random(1));
        McpPorts ports = new McpPorts(
                new LeakGate(rules, () -> grants),
                ApprovalDesk.NOBODY,
                correlation -> Envelope.inline(ids.nextEventId(), clock.instant(), Attribution.UNKNOWN, correlation),
                sink,
                ToolTrust.ALL);
        return GuestEnd.to(
                ports, new CleanBackend(backend, text -> grants.knownValues().clean(text)), clock, ids);
    }
}
