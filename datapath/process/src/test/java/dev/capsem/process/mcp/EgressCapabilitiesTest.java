package dev.capsem.process.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.mcp.record.McpPorts;
import dev.capsem.mcp.record.ToolTrust;
import dev.capsem.network.address.Resolution;
import dev.capsem.policy.grammar.Host;
import dev.capsem.policy.ir.Element.NetRule;
import dev.capsem.process.record.RecordedEvents;
import dev.capsem.process.record.Recorder;
import dev.capsem.process.record.Recorders;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Capabilities alone: the rules behind them allow everything, and every name resolves.
class EgressCapabilitiesTest {
    private final RecordedEvents events = new RecordedEvents();
    private final List<HttpRequest> judged = new CopyOnWriteArrayList<>();
    private final EgressShell judge = judge();

    private static List<NetRule> granted(String host, OptionalInt port) {
        return List.of(new NetRule(new Host(host), port, true));
    }

    @ParameterizedTest
    @CsvSource({
        "api.example.test, 443, true",
        "api.example.test, 444, false",
        "API.example.test, 443, true",
        "www.example.test, 443, false",
        "a b,              443, false",
        "127.1,            443, false",
    })
    void aCapabilityNamesItsHostAndItsPort(String host, int port, boolean expected) throws InterruptedException {
        assertThat(judge.route("prog", granted("api.example.test", OptionalInt.of(443)), host, port)
                        .isPresent())
                .isEqualTo(expected);

        // What is refused before the rules are asked is on record all the same.
        assertThat(events.all()).hasSize(1);
        assertThat(judged).hasSize(expected ? 1 : 0);
    }

    @Test
    void oneWithoutAPortIsForAllOfThem() throws InterruptedException {
        assertThat(judge.route("prog", granted("*.example.test", OptionalInt.empty()), "api.example.test", 8_443))
                .isPresent();
        assertThat(judge.route("prog", granted("*.example.test", OptionalInt.empty()), "evilexample.test", 8_443))
                .isEmpty();
        assertThat(judge.route("prog", List.of(), "api.example.test", 443)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"80, http", "443, https", "8080, https"})
    void rulesReadTheSchemeThatThePortStandsFor(int port, String scheme) throws InterruptedException {
        assertThat(judge.route("prog", granted("*", OptionalInt.empty()), "api.example.test", port))
                .isPresent();

        assertThat(judged).singleElement().satisfies(event -> {
            assertThat(event.scheme()).isEqualTo(scheme);
            assertThat(event.port()).isEqualTo(port);
            assertThat(event.method()).isEqualTo("CONNECT");
        });
    }

    @Test
    void aNameThatLeadsNowhereIsRefusedAndRecorded() throws InterruptedException {
        assertThat(judge.route("prog", granted("*", OptionalInt.empty()), "gone.example.test", 443))
                .isEmpty();
        assertThat(judge.routeOfAggregator(true, "gone.example.test", 443)).isEmpty();

        assertThat(events.all()).hasSize(2);
        assertThat(judged).isEmpty();
    }

    @Test
    void anAddressThatTheProfileItselfNamesNeedsNoRule() throws InterruptedException {
        assertThat(judge.routeOfAggregator(true, "10.9.8.7", 443)).isPresent();

        assertThat(judged).isEmpty();
    }

    private EgressShell judge() {
        Recorder recorder = Recorders.into(events);
        SecurityGate gate = new SecurityGate() {
            @Override
            public Evaluation evaluate(SecurityEvent event) {
                judged.add((HttpRequest) event);
                return new Evaluation(
                        new Evaluation.Allowed(), Optional.empty(), Optional.empty(), List.of(), List.of());
            }

            @Override
            public boolean needsBody(SecurityEvent event) {
                return false;
            }
        };
        McpPorts ports = new McpPorts(gate, ApprovalDesk.NOBODY, recorder, events, ToolTrust.ALL);
        return new EgressShell(
                ports,
                recorder,
                () -> new WayOut(
                        Optional.empty(),
                        host -> CompletableFuture.completedFuture(
                                host.startsWith("gone")
                                        ? new Resolution.Failed("no such name")
                                        : new Resolution.Addresses(List.of(InetAddress.ofLiteral("8.8.8.8"))))));
    }
}
