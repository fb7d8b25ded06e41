package dev.capsem.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.vocabulary.IdSource;
import dev.capsem.mcp.connection.EndpointDependencies;
import dev.capsem.mcp.connection.McpLimits;
import dev.capsem.mcp.connection.SharedInterests;
import dev.capsem.mcp.record.CallTraces;
import dev.capsem.mcp.record.McpPorts;
import dev.capsem.mcp.record.ToolTrust;
import dev.capsem.wire.aggregator.AggregatorEvent;
import dev.capsem.wire.aggregator.Operation;
import dev.capsem.wire.json.Json;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/// A server that asks without end, of a client that reads everything and answers nothing: this process would keep each
/// question until its time is over.
@Timeout(60)
class ServerQuestionsTest {
    private static final int WAIT_MAX = 64;

    private final InstantSource clock = InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z"));
    private final IdSource ids = new IdSource(clock, new Random(1));
    private final FakeGate gate = new FakeGate();
    private final FakeSink sink = new FakeSink();
    private final FakeBackend backend = new FakeBackend();

    @Test
    void oneMoreThanMayWaitIsRefusedAtOnceAndTheOthersAreAnswered() throws Exception {
        try (GuestEnd guest = new GuestEnd(endpoint(), "node")) {
            guest.request("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
                    + "\"2025-06-18\",\"capabilities\":{\"roots\":{}},\"clientInfo\":{}}}");
            guest.reply();
            JsonNode first = asked(guest, 1);
            for (int token = 2; token <= WAIT_MAX; token++) {
                asked(guest, token);
            }

            ask(WAIT_MAX + 1);

            assertThat(backend.next()).isInstanceOfSatisfying(Operation.Answer.class, answer -> {
                assertThat(answer.token()).isEqualTo(WAIT_MAX + 1);
                assertThat(answer.outcome()).isInstanceOf(Operation.Outcome.Refusal.class);
            });
            guest.alone(
                    "{\"jsonrpc\":\"2.0\",\"id\":\"" + first.get("id").asString() + "\",\"result\":{\"roots\":[]}}");
            assertThat(backend.next())
                    .isEqualTo(new Operation.Answer(1, new Operation.Outcome.Success(Json.parse("{\"roots\":[]}"))));
            long token = WAIT_MAX + 2;
            ask(token);
            while (backend.arrivals.poll(300, TimeUnit.MILLISECONDS) != null) {
                // Its place is given back a moment after it was answered.
                ask(++token);
            }
            assertThat(guest.reply().get("method").asString())
                    .as("there is room again")
                    .isEqualTo("roots/list");
        }
    }

    private JsonNode asked(GuestEnd guest, long token) throws Exception {
        ask(token);
        return guest.reply();
    }

    private void ask(long token) {
        backend.say(
                new AggregatorEvent.ServerRequest("s", OptionalLong.empty(), token, "roots/list", Optional.empty()));
    }

    private McpEndpoint endpoint() {
        McpPorts ports = new McpPorts(
                gate,
                ApprovalDesk.NOBODY,
                correlation -> Envelope.inline(ids.nextEventId(), clock.instant(), Attribution.UNKNOWN, correlation),
                sink,
                ToolTrust.ALL);
        return new McpEndpoint(new EndpointDependencies(
                ports,
                backend,
                CallTraces.NONE,
                new SharedInterests(backend),
                McpLimits.DEFAULT,
                clock,
                ids,
                "0.1.0",
                text -> text));
    }
}
