package dev.capsem.process.mcp;

import dev.capsem.events.Admission;
import dev.capsem.events.Correlation;
import dev.capsem.events.security.AddressClass;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.mcp.record.Referee;
import dev.capsem.network.address.AddressLiterals;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.grammar.Host;
import dev.capsem.policy.ir.Element.NetRule;
import dev.capsem.process.mcp.io.EgressDoor.Route;
import dev.capsem.process.record.Recorder;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// Decides where the programs behind MCP may connect to. Everything they ask for is on record as an event of the host,
/// never as the guest's traffic.
final class EgressJudge {
    private static final String AGGREGATOR = "capsem-mcp-aggregator";

    private final Referee referee;
    private final Recorder recorder;
    private final Supplier<WayOut> out;

    EgressJudge(Referee referee, Recorder recorder, Supplier<WayOut> out) {
        this.referee = referee;
        this.recorder = recorder;
        this.out = out;
    }

    /// How a server that is a program gets there: its capabilities must name the host, and the rules of the sandbox
    /// must allow it.
    Optional<Route> decide(String program, List<NetRule> granted, String host, int port) throws InterruptedException {
        if (granted.stream().noneMatch(rule -> grants(rule, host, port))) {
            return refused(program, host, port);
        }
        Optional<WayOut.Way> way = out.get().to(host, port);
        return way.isPresent() ? judged(program, way.get(), host, port) : refused(program, host, port);
    }

    /// How the aggregator gets to a server of the profile. The profile names the host, so the rules are asked
    /// only when a name leads inside this host or its networks: whoever answers for that name may not be who
    /// wrote the profile.
    Optional<Route> decideForAggregator(boolean isServer, String host, int port) throws InterruptedException {
        if (!isServer) {
            return refused(AGGREGATOR, host, port);
        }
        Optional<WayOut.Way> way = out.get().toServer(host, port);
        if (way.isEmpty()) {
            return refused(AGGREGATOR, host, port);
        }
        boolean isNamedSo =
                WayOut.isOnThisHost(host) || AddressLiterals.parse(host).isPresent();
        boolean leadsInside = way.get()
                .address()
                .filter(address -> AddressClass.of(address) != AddressClass.PUBLIC)
                .isPresent();
        return isNamedSo || !leadsInside ? Optional.of(way.get().route()) : judged(AGGREGATOR, way.get(), host, port);
    }

    private Optional<Route> judged(String program, WayOut.Way way, String host, int port) throws InterruptedException {
        HttpRequest event;
        try {
            event = new HttpRequest(
                    recorder.ofHost(Correlation.NONE),
                    "CONNECT",
                    port == 80 ? "http" : "https",
                    host,
                    port,
                    "/",
                    Optional.empty(),
                    Headers.NONE,
                    Body.NONE,
                    way.address());
        } catch (IllegalArgumentException e) {
            return refused(program, host, port);
        }
        return switch (referee.admit(EventType.HTTP_REQUEST)) {
            case Admission.Refused _ -> Optional.empty();
            case Admission.Admitted(Admission.Place place) -> {
                try (place) {
                    yield isAllowed(event, place) ? Optional.of(way.route()) : Optional.empty();
                }
            }
        };
    }

    private boolean isAllowed(HttpRequest event, Admission.Place place) throws InterruptedException {
        Evaluation evaluation = carried(referee.judge(event, new CompletableFuture<>()));
        boolean isRecorded = referee.record(event, evaluation, List.of(), place);
        return isRecorded && evaluation.outcome() instanceof Evaluation.Allowed;
    }

    /// What a rule would change is inside a tunnel that nobody here can open: then nothing goes.
    private static Evaluation carried(Evaluation evaluation) {
        return evaluation.outcome() instanceof Evaluation.Rewritten
                ? new Evaluation(
                        new Evaluation.Blocked(BlockCause.REWRITE_FAILED),
                        evaluation.rule(),
                        Optional.of(
                                "the rule rewrites what a program of an MCP server sends, which cannot be read here"),
                        evaluation.steps(),
                        evaluation.findings())
                : evaluation;
    }

    private Optional<Route> refused(String program, String host, int port) {
        recorder.egressRefused(program, host, port);
        return Optional.empty();
    }

    private static boolean grants(NetRule rule, String host, int port) {
        try {
            return (rule.port().isEmpty() || rule.port().getAsInt() == port) && new Host(host).isCoveredBy(rule.host());
        } catch (CompilationError e) {
            // Not a host that any capability could name.
            return false;
        }
    }
}
