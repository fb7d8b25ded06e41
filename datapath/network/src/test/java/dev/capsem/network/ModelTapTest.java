package dev.capsem.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.budget.CallCost;
import dev.capsem.events.row.Caller;
import dev.capsem.events.row.ModelRow;
import dev.capsem.events.row.NetRow;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.traffic.ModelTap;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.events.vocabulary.TraceId;
import dev.capsem.network.metrics.NetworkMetrics;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
@Tag("sockets")
class ModelTapTest {
    private static final String NO_CALL = "not for a model";

    /// Takes every body but one for a model's words.
    private static final class Reader implements ModelTap {
        private final StringBuilder said = new StringBuilder();
        private SecurityEvent.ModelRequest request;
        private int status;

        @SuppressWarnings("NullAway.Init") // `request` comes first, as the port says.
        Reader() {}

        @Override
        public Optional<SecurityEvent.ModelRequest> request(Envelope envelope, byte[] body, boolean isTooLarge) {
            if (new String(body, StandardCharsets.UTF_8).equals(NO_CALL)) {
                return Optional.empty();
            }
            request = new SecurityEvent.ModelRequest(
                    envelope,
                    "anthropic",
                    "anthropic_messages",
                    Optional.of(new String(body, StandardCharsets.UTF_8)),
                    false,
                    Body.of(body, Optional.empty()),
                    List.of());
            return Optional.of(request);
        }

        @Override
        public TraceId traceId() {
            return new TraceId("trace-1");
        }

        @Override
        public CallCost bound() {
            return CallCost.NOTHING;
        }

        @Override
        public Optional<CallCost> spent() {
            return Optional.empty();
        }

        @Override
        public void responseHead(int code, Headers headers) {
            status = code;
        }

        @Override
        public void responseBytes(ByteBuffer decoded) {
            said.append(StandardCharsets.UTF_8.decode(decoded));
        }

        @Override
        public long parsedEvents() {
            return said.length();
        }

        @Override
        public void undecodable() {
            said.append("?");
        }

        @Override
        public SecurityEvent.ModelResponse response(Envelope envelope) {
            return new SecurityEvent.ModelResponse(
                    envelope,
                    request,
                    request.model(),
                    Optional.empty(),
                    Body.of(said.toString()),
                    List.of(),
                    OptionalLong.empty(),
                    OptionalLong.empty());
        }

        @Override
        public ModelRow row(Facts facts) {
            return new ModelRow(
                    facts.at(),
                    "anthropic",
                    request.model(),
                    facts.caller(),
                    "POST",
                    "/v1/messages",
                    false,
                    new ModelRow.Request(Optional.empty(), 1, 0, facts.requestBytes(), facts.requestPreview()),
                    new ModelRow.Response(
                            Optional.empty(),
                            OptionalInt.of(status),
                            Optional.of(said.toString()),
                            Optional.empty(),
                            Optional.empty(),
                            facts.responseBytes()),
                    new ModelRow.Usage(
                            OptionalLong.empty(), OptionalLong.empty(), OptionalDouble.empty(), Optional.empty()),
                    facts.duration(),
                    Optional.of(traceId()),
                    List.of(),
                    List.of(),
                    Optional.empty());
        }
    }

    private static Door.Setup setup(Function<SecurityEvent, Evaluation> rules) {
        Door.Setup setup = new Door.Setup();
        setup.observer = head -> head.path().equals("/v1/messages") ? Optional.of(new Reader()) : Optional.empty();
        setup.rules = rules;
        return setup;
    }

    private static String call(String body) {
        return "POST /v1/messages HTTP/1.1\r\nHost: " + Door.HOST + "\r\nContent-Length: " + body.length() + "\r\n\r\n"
                + body;
    }

    private static Evaluation blockModel() {
        return new Evaluation(
                new Evaluation.Blocked(BlockCause.RULE),
                Optional.of(RuleId.of("model", "no_model")),
                Optional.of("not this model"),
                List.of(),
                List.of());
    }

    @Test
    void aModelCallIsReadAlongAndRecorded() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup(_ -> Door.allow()).open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            assertThat(client.exchange(call("opus")).text()).isEqualTo("hello /v1/messages");

            NetRow row = door.rows(1).get(0);
            assertThat(row.traceId()).contains(new TraceId("trace-1"));
            assertThat(row.previews().requestBody()).contains("opus");
            Door.await(() -> door.recorded.size() >= 4);
            assertThat(door.recorded)
                    .extracting(exchange -> exchange.event().type())
                    .containsExactly(
                            EventType.HTTP_REQUEST,
                            EventType.MODEL_REQUEST,
                            EventType.HTTP_RESPONSE,
                            EventType.MODEL_RESPONSE);
            assertThat(door.recorded.get(1).rows().get(0)).isInstanceOfSatisfying(ModelRow.class, model -> {
                assertThat(model.model()).contains("opus");
                assertThat(model.caller()).isEqualTo(new Caller(Optional.of("curl"), OptionalLong.empty()));
            });
            assertThat(door.recorded.get(0).event().correlation().traceId()).contains(new TraceId("trace-1"));
        }
    }

    @Test
    void aBlockedModelRequestNeverLeaves() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup(event -> event instanceof SecurityEvent.ModelRequest ? blockModel() : Door.allow())
                        .open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            Http1Client.Response response = client.exchange(call("opus"));

            assertThat(response.status()).isEqualTo(403);
            assertThat(response.headers()).containsEntry("x-capsem-rule", "security.rules.model.no_model");
            assertThat(origin.connections()).isZero();
            NetRow row = door.rows(1).get(0);
            assertThat(row.decision()).isEqualTo(Outcome.DENIED);
            assertThat(row.policy().rule()).contains("security.rules.model.no_model");
        }
    }

    @Test
    void aBodyThatIsNoCallPassesAsPlainHttp() throws Exception {
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup(event -> event instanceof SecurityEvent.ModelRequest ? blockModel() : Door.allow())
                        .open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            assertThat(client.exchange(call(NO_CALL)).text()).isEqualTo("hello /v1/messages");

            NetRow row = door.rows(1).get(0);
            assertThat(row.decision()).isEqualTo(Outcome.ALLOWED);
            assertThat(row.traceId()).isEmpty();
            Door.await(() -> door.recorded.size() >= 2);
            assertThat(door.recorded)
                    .extracting(exchange -> exchange.event().type())
                    .containsExactly(EventType.HTTP_REQUEST, EventType.HTTP_RESPONSE);
        }
    }

    @Test
    void aRuleOnTheAnswerHoldsItBack() throws Exception {
        Door.Setup setup = setup(event -> event instanceof SecurityEvent.ModelResponse response
                        && response.body() instanceof Body.Text text
                        && text.text().contains("hello")
                ? blockModel()
                : Door.allow());
        setup.needsBody = event -> event instanceof SecurityEvent.ModelResponse;
        try (Origin origin = Origin.plain(HttpsExchangeTest::ok);
                Door door = setup.open();
                Http1Client client = new Http1Client(door.connect(origin.port()))) {
            Http1Client.Response response = client.exchange(call("opus"));

            assertThat(response.status()).isEqualTo(403);
            assertThat(response.text()).contains("not this model").doesNotContain("hello");
            assertThat(origin.log()).hasSize(1);
            assertThat(door.rows(1).get(0).decision()).isEqualTo(Outcome.DENIED);
        }
    }

    @Test
    void whatReadsAlongIsCounted() throws Exception {
        try (Origin origin = Origin.tls(Door.ORIGINS, Door.HOST, false, HttpsExchangeTest::ok);
                Door door = setup(_ -> Door.allow()).open();
                Http1Client client = new Http1Client(door.tls(origin.port(), Door.HOST))) {
            String said = client.exchange(call("hi")).text();

            door.rows(1);
            NetworkMetrics.Snapshot counted = door.engine().metrics().snapshot();
            assertThat(counted.counters())
                    .containsEntry("parser_events_total", (long) said.length())
                    .containsEntry("hook_invocations_total{hook=\"model\"}", 1L)
                    .containsEntry("hook_invocations_total{hook=\"inspection\"}", 2L);
            assertThat(counted.histograms())
                    .hasEntrySatisfying(
                            "hook_duration_ms",
                            values -> assertThat(values.count()).isEqualTo(3));
        }
    }
}
