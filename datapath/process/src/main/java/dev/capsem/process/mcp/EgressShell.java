package dev.capsem.process.mcp;

import dev.capsem.events.Admission;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.exchange.egress.EgressAction;
import dev.capsem.exchange.egress.EgressConnection;
import dev.capsem.exchange.egress.EgressConnection.Asker;
import dev.capsem.exchange.egress.EgressInput;
import dev.capsem.mcp.record.McpPorts;
import dev.capsem.network.address.AddressLiterals;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.grammar.Host;
import dev.capsem.policy.ir.Element.NetRule;
import dev.capsem.process.mcp.io.EgressProxy.Route;
import dev.capsem.process.record.Recorder;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// Translates between an [EgressConnection] and capabilities, resolvers, people and the record. Everything the programs
/// behind MCP ask for is on record as an event of the host, never as the guest's traffic.
final class EgressShell {
    private static final String AGGREGATOR = "capsem-mcp-aggregator";

    private final McpPorts ports;
    private final Recorder recorder;
    private final Supplier<WayOut> out;

    EgressShell(McpPorts ports, Recorder recorder, Supplier<WayOut> out) {
        this.ports = ports;
        this.recorder = recorder;
        this.out = out;
    }

    /// How a server that is a program gets there: its capabilities must name the host, and the rules of the sandbox
    /// must allow it.
    Optional<Route> route(String program, List<NetRule> granted, String host, int port) throws InterruptedException {
        boolean isGranted = granted.stream().anyMatch(rule -> grants(rule, host, port));
        return new Attempt(program, host, port, () -> out.get().to(host, port)).route(Asker.PROGRAM, isGranted);
    }

    /// How the aggregator gets to a server of the profile.
    Optional<Route> routeOfAggregator(boolean isServer, String host, int port) throws InterruptedException {
        boolean isNamedSo =
                WayOut.isOnThisHost(host) || AddressLiterals.parse(host).isPresent();
        return new Attempt(AGGREGATOR, host, port, () -> out.get().toServer(host, port))
                .route(isNamedSo ? Asker.AGGREGATOR_BY_ADDRESS : Asker.AGGREGATOR, isServer);
    }

    private final class Attempt {
        private final String program;
        private final String host;
        private final int port;
        private final Supplier<Optional<WayOut.Way>> locating;
        private Optional<WayOut.Way> way = Optional.empty();
        private Admission.Place place = Admission.Place.BOUNDLESS;

        Attempt(String program, String host, int port, Supplier<Optional<WayOut.Way>> locating) {
            this.program = program;
            this.host = host;
            this.port = port;
            this.locating = locating;
        }

        Optional<Route> route(Asker asker, boolean isGranted) throws InterruptedException {
            EgressConnection connection = new EgressConnection(ports.judge(), asker);
            EgressInput input = new EgressInput.Requested(isGranted);
            try {
                while (true) {
                    switch (connection.on(input)) {
                        case EgressAction.Locate _ -> input = located();
                        case EgressAction.Admit _ -> input = admitted();
                        case EgressAction.AskPerson(var event, var question) ->
                            input = new EgressInput.Waited(ports.asked(event, question, new CompletableFuture<>()));
                        case EgressAction.PutOnRecord(HttpRequest event, Evaluation evaluation) ->
                            input = ports.record(event, evaluation, List.of(), place)
                                    ? new EgressInput.Recorded()
                                    : new EgressInput.NotRecorded();
                        case EgressAction.Connect _ -> {
                            return way.map(WayOut.Way::route);
                        }
                        case EgressAction.Reject _ -> {
                            return Optional.empty();
                        }
                        case EgressAction.RejectAndNote _ -> {
                            recorder.egressRefused(program, host, port);
                            return Optional.empty();
                        }
                    }
                }
            } finally {
                place.close();
            }
        }

        private EgressInput located() {
            way = locating.get();
            return way.<EgressInput>map(found -> new EgressInput.Located(found.address()))
                    .orElseGet(EgressInput.NotFound::new);
        }

        private EgressInput admitted() {
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
                        way.flatMap(WayOut.Way::address));
            } catch (IllegalArgumentException e) {
                return new EgressInput.Unnamable();
            }
            return switch (ports.admit(EventType.HTTP_REQUEST)) {
                case Admission.Refused _ -> new EgressInput.NotAdmitted();
                case Admission.Admitted(Admission.Place given) -> {
                    place = given;
                    yield new EgressInput.Admitted(event);
                }
            };
        }
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
