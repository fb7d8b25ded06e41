package dev.capsem.security;

import dev.capsem.events.row.Attribution;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityEvent.HttpRequest;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventId;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.security.condition.EvaluationFailure;
import dev.capsem.security.condition.Frame;
import dev.capsem.security.condition.Match;
import dev.capsem.security.condition.Term;
import dev.capsem.security.rule.Rule;
import java.net.InetAddress;
import java.time.Instant;
import java.util.Optional;

/// Finds rules that can match only a request that leads inside this host or its networks. They need not be asked again
/// when a name turns out to lead to a public address.
final class InsideOnly {
    private static final HttpRequest UNRESOLVED = new HttpRequest(
            Envelope.inline(new EventId("ev-0"), Instant.EPOCH, Attribution.UNKNOWN, Correlation.NONE),
            "GET",
            "https",
            "a.example",
            443,
            "/",
            Optional.empty(),
            Headers.of(),
            Body.NONE);
    private static final HttpRequest PUBLIC = UNRESOLVED.withAddress(InetAddress.ofLiteral("93.184.216.34"));

    private InsideOnly() {}

    /// True if one of its terms reads the class of the address and nothing else, and holds neither before the name is
    /// resolved nor for a public address.
    static boolean is(Rule rule) {
        return rule.on() == EventType.HTTP_REQUEST
                && rule.condition().terms().stream()
                        .filter(InsideOnly::readsClassOnly)
                        .anyMatch(term -> !holds(term, UNRESOLVED) && !holds(term, PUBLIC));
    }

    private static boolean readsClassOnly(Term term) {
        return !term.reads().isEmpty()
                && term.reads().stream().allMatch(field -> field.path().equals("http.request.address_class"));
    }

    /// A term that cannot be evaluated counts as true: then the rule is asked.
    private static boolean holds(Term term, SecurityEvent event) {
        try {
            Match match = term.match(new Frame(event));
            return match == Match.YES || match == Match.OPEN;
        } catch (EvaluationFailure failure) {
            return true;
        }
    }
}
