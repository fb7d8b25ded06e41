package dev.capsem.exchange.leak;

import dev.capsem.broker.Brokered;
import dev.capsem.broker.Grants;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.JsonDocument;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityGate;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// Stands before the rules where no grant ever covers anything: a DNS name or an MCP call with a stand-in in it is
/// blocked, whatever the rules say. So is the host of an HTTP request, since its name is asked for next; the rest of
/// a request is for its exchange, which knows where a grant covers it.
public final class LeakGate implements SecurityGate {
    /// What a server asks of a client inside: here the answer is what leaves the sandbox.
    private static final Set<String> ASKED_BY_SERVERS =
            Set.of("sampling/createMessage", "elicitation/create", "roots/list");

    private final SecurityGate rules;
    private final Supplier<Grants> grants;

    /// @param grants of the profile in force
    public LeakGate(SecurityGate rules, Supplier<Grants> grants) {
        this.rules = rules;
        this.grants = grants;
    }

    @Override
    public Evaluation evaluate(SecurityEvent event) {
        Evaluation judged = rules.evaluate(event);
        Grants now = grants.get();
        if (now.isEmpty()) {
            return judged;
        }
        return switch (event) {
            case SecurityEvent.DnsRequest question ->
                blocked(judged, event, now.leakedInName(question.qname()), "a DNS question");
            case SecurityEvent.McpRequest call ->
                blocked(judged, event, leaked(now, call), "an MCP call to " + call.serverName());
            case SecurityEvent.McpResponse answer ->
                blocked(
                        judged,
                        event,
                        ASKED_BY_SERVERS.contains(answer.request().method())
                                ? leaked(now, "answer", answer.content())
                                : Optional.empty(),
                        "an MCP client to " + answer.request().serverName());
            case SecurityEvent.HttpRequest request ->
                blocked(judged, event, now.leakedInName(request.host()), "the host of a request");
            case SecurityEvent.HttpResponse _,
                    SecurityEvent.ModelRequest _,
                    SecurityEvent.ModelResponse _,
                    SecurityEvent.ProcessExec _,
                    SecurityEvent.FileActivity _,
                    SecurityEvent.HostActivity _ -> judged;
        };
    }

    @Override
    public boolean needsBody(SecurityEvent event) {
        return rules.needsBody(event);
    }

    @Override
    public boolean needsAddress() {
        return rules.needsAddress();
    }

    private static Optional<Brokered.Leaked> leaked(Grants grants, SecurityEvent.McpRequest call) {
        return grants.leakedIn(
                        "name", call.method() + " " + call.namespacedName().orElse(""))
                .or(() -> leaked(grants, "arguments", call.arguments()))
                .or(() -> leaked(grants, "metadata", call.meta()));
    }

    private static Optional<Brokered.Leaked> leaked(Grants grants, String place, Optional<JsonDocument> document) {
        return document.flatMap(json -> grants.leakedIn(place, json.text()));
    }

    private static Evaluation blocked(
            Evaluation judged, SecurityEvent event, Optional<Brokered.Leaked> leak, String what) {
        return leak.map(found -> PlaceholderLeak.on(judged, event.envelope().id(), found, what))
                .orElse(judged);
    }
}
