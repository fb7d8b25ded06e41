package dev.capsem.process.mcp;

import dev.capsem.events.Correlation;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.mcp.record.Referee;
import dev.capsem.policy.diagnostic.CompilationError;
import dev.capsem.policy.grammar.Host;
import dev.capsem.policy.ir.Element.NetRule;
import dev.capsem.process.mcp.io.EgressDoor.Route;
import dev.capsem.process.record.Recorder;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// Decides where a server that is a program may connect to: its capabilities must name the host, and the rules of the
/// sandbox must allow it. Everything it asks for is on record as an event of the host, never as the guest's traffic.
final class EgressJudge {
    private final Referee referee;
    private final Recorder recorder;
    private final Supplier<WayOut> out;

    EgressJudge(Referee referee, Recorder recorder, Supplier<WayOut> out) {
        this.referee = referee;
        this.recorder = recorder;
        this.out = out;
    }

    /// How to get there, if at all.
    Optional<Route> decide(String program, List<NetRule> granted, String host, int port) throws InterruptedException {
        if (granted.stream().noneMatch(rule -> grants(rule, host, port))) {
            recorder.egressRefused(program, host, port);
            return Optional.empty();
        }
        Optional<Route> route = out.get().to(host, port);
        if (route.isEmpty()) {
            recorder.egressRefused(program, host, port);
            return Optional.empty();
        }
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
                    WayOut.resolve(host));
        } catch (IllegalArgumentException e) {
            recorder.egressRefused(program, host, port);
            return Optional.empty();
        }
        Evaluation evaluation = referee.judge(event, new CompletableFuture<>());
        boolean isAllowed = !(evaluation.outcome() instanceof Evaluation.Blocked);
        boolean isRecorded = referee.record(event, evaluation, List.of());
        return isAllowed && isRecorded ? route : Optional.empty();
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
