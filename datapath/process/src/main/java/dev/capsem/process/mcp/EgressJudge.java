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
import dev.capsem.process.record.Recorder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// Decides where a server that is a program may connect to: its capabilities must name the host, and the rules of the
/// sandbox must allow it. Everything it asks for is on record as an event of the host, never as the guest's traffic.
final class EgressJudge {
    private final Referee referee;
    private final Recorder recorder;

    EgressJudge(Referee referee, Recorder recorder) {
        this.referee = referee;
        this.recorder = recorder;
    }

    /// The address to connect to, if any.
    Optional<InetSocketAddress> decide(String program, List<NetRule> granted, String host, int port)
            throws InterruptedException {
        if (granted.stream().noneMatch(rule -> grants(rule, host, port))) {
            recorder.egressRefused(program, host, port);
            return Optional.empty();
        }
        Optional<InetAddress> address = resolve(host);
        if (address.isEmpty()) {
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
                    address);
        } catch (IllegalArgumentException e) {
            recorder.egressRefused(program, host, port);
            return Optional.empty();
        }
        Evaluation evaluation = referee.judge(event, new CompletableFuture<>());
        boolean isAllowed = !(evaluation.outcome() instanceof Evaluation.Blocked);
        boolean isRecorded = referee.record(event, evaluation, List.of());
        return isAllowed && isRecorded ? address.map(found -> new InetSocketAddress(found, port)) : Optional.empty();
    }

    static Optional<InetAddress> resolve(String host) {
        try {
            return Optional.of(InetAddress.getByName(host));
        } catch (UnknownHostException e) {
            return Optional.empty();
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
