package dev.capsem.process.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.vocabulary.FinalAction;
import dev.capsem.events.vocabulary.OriginKind;
import dev.capsem.mcp.record.McpPorts;
import dev.capsem.mcp.record.ToolTrust;
import dev.capsem.network.address.HostResolver;
import dev.capsem.network.address.Resolution;
import dev.capsem.policy.grammar.Host;
import dev.capsem.policy.ir.Element.NetRule;
import dev.capsem.process.mcp.io.EgressProxy.Route;
import dev.capsem.process.record.RecordedEvents;
import dev.capsem.process.record.Recorder;
import dev.capsem.process.record.Recorders;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EgressShellTest {
    private static final List<NetRule> GRANTED =
            List.of(new NetRule(new Host("api.example.test"), OptionalInt.of(443), true));
    private static final Map<String, String> NAMES = Map.of(
            "api.example.test", "203.0.113.9", "inside.example.test", "10.1.2.3", "open.example.test", "8.8.8.8");

    private final RecordedEvents events = new RecordedEvents();
    private final List<HttpRequest> judged = new CopyOnWriteArrayList<>();
    private final HostResolver resolver = host -> CompletableFuture.completedFuture(
            NAMES.containsKey(host)
                    ? new Resolution.Addresses(List.of(InetAddress.ofLiteral(NAMES.get(host))))
                    : new Resolution.Failed("no such name"));

    @Test
    void theAddressThatWasJudgedIsTheOneConnectedTo() throws InterruptedException {
        Optional<Route> route = judge(new Evaluation.Allowed()).route("prog", GRANTED, "api.example.test", 443);

        assertThat(route.orElseThrow().address()).isEqualTo(new InetSocketAddress("203.0.113.9", 443));
        assertThat(judged)
                .singleElement()
                .satisfies(event -> assertThat(event.address()).contains(InetAddress.ofLiteral("203.0.113.9")));
    }

    /// A tunnel cannot be changed, so a rule that wants it changed is not obeyed by letting it pass.
    @Test
    void aRewriteIsNotLeave() throws InterruptedException {
        EgressShell judge = judge(null);

        assertThat(judge.route("prog", GRANTED, "api.example.test", 443)).isEmpty();

        assertThat(events.all()).singleElement().satisfies(exchange -> {
            assertThat(exchange.event().judgement().finalAction()).isEqualTo(FinalAction.BLOCK);
            assertThat(exchange.event().attribution().originKind()).isEqualTo(OriginKind.HOST_SERVICE);
        });
    }

    @Test
    void theAggregatorReachesAServerOfTheProfileAtAPublicAddressWithoutARule() throws InterruptedException {
        assertThat(judge(new Evaluation.Blocked(BlockCause.RULE)).routeOfAggregator(true, "open.example.test", 443))
                .isPresent();
        assertThat(judged).isEmpty();
    }

    @Test
    void aServersNameThatLeadsInsideIsJudgedWithItsAddress() throws InterruptedException {
        assertThat(judge(new Evaluation.Blocked(BlockCause.PRIVATE_ADDRESS))
                        .routeOfAggregator(true, "inside.example.test", 443))
                .isEmpty();

        assertThat(judged)
                .singleElement()
                .satisfies(event -> assertThat(event.address()).contains(InetAddress.ofLiteral("10.1.2.3")));
        assertThat(events.all()).hasSize(1);
        assertThat(judge(new Evaluation.Allowed()).routeOfAggregator(true, "inside.example.test", 443))
                .isPresent();
    }

    @Test
    void whatTheProfileDoesNotNameIsRefusedAndRecorded() throws InterruptedException {
        assertThat(judge(new Evaluation.Allowed()).routeOfAggregator(false, "open.example.test", 443))
                .isEmpty();
        assertThat(judge(new Evaluation.Allowed()).route("prog", GRANTED, "open.example.test", 443))
                .isEmpty();

        assertThat(events.all()).hasSize(2);
        assertThat(judged).isEmpty();
    }

    /// Nothing else stands in the way: the capability names host and port.
    @Test
    void theRulesAloneRefuseWhatACapabilityNames() throws InterruptedException {
        assertThat(judge(new Evaluation.Blocked(BlockCause.RULE)).route("prog", GRANTED, "api.example.test", 443))
                .isEmpty();
        assertThat(judge(new Evaluation.Asked()).route("prog", GRANTED, "api.example.test", 443))
                .isEmpty();

        assertThat(judged).hasSize(2);
        assertThat(events.all())
                .hasSize(2)
                .allSatisfy(exchange ->
                        assertThat(exchange.event().judgement().finalAction()).isEqualTo(FinalAction.BLOCK));
    }

    @Test
    void whatCannotBeRecordedDoesNotBegin() throws InterruptedException {
        events.full(true);

        assertThat(judge(new Evaluation.Allowed()).route("prog", GRANTED, "api.example.test", 443))
                .isEmpty();
        assertThat(judged).isEmpty();
    }

    /// It was admitted, and the record was closed meanwhile.
    @Test
    void whatWasNotRecordedDoesNotPass() throws InterruptedException {
        events.close();

        assertThat(judge(new Evaluation.Allowed()).route("prog", GRANTED, "api.example.test", 443))
                .isEmpty();
        assertThat(judged).hasSize(1);
        assertThat(events.places()).isZero();
    }

    /// @param outcome of every event; none: a rewrite
    private EgressShell judge(Evaluation.@Nullable Outcome outcome) {
        Recorder recorder = Recorders.into(events);
        SecurityGate gate = new SecurityGate() {
            @Override
            public Evaluation evaluate(SecurityEvent event) {
                judged.add((HttpRequest) event);
                return new Evaluation(
                        outcome == null ? new Evaluation.Rewritten(event, List.of()) : outcome,
                        Optional.of(RuleId.of("http", "a_rule")),
                        Optional.empty(),
                        List.of(),
                        List.of());
            }

            @Override
            public boolean needsBody(SecurityEvent event) {
                return false;
            }
        };
        McpPorts ports = new McpPorts(gate, ApprovalDesk.NOBODY, recorder, events, ToolTrust.ALL);
        return new EgressShell(ports, recorder, () -> new WayOut(Optional.empty(), resolver));
    }
}
