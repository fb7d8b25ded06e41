package dev.capsem.exchange.http;

import dev.capsem.broker.BrokeredMessages;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.events.vocabulary.Correlation;
import java.util.Optional;

/// The exchange that opened a WebSocket, with what was decided about it. Its messages are judged as parts of it.
///
/// @param secrets looks for stand-ins and values, if the sandbox has grants
/// @param readsSent, readsReceived whether a rule in force could decide by a message of that direction
public record Upgrade(
        SecurityEvent.HttpRequest request,
        Evaluation requestEvaluation,
        SecurityEvent.HttpResponse response,
        Evaluation responseEvaluation,
        boolean readsSent,
        boolean readsReceived,
        Optional<BrokeredMessages> secrets) {
    private static final int SWITCHING_PROTOCOLS = 101;

    private static final String EXTENSIONS = "sec-websocket-extensions";

    static final Refusal EXTENDED = Refusal.of(
            502,
            "upstream_failed",
            "the upstream uses a WebSocket extension, and its messages must be read",
            "ask for the connection without Sec-WebSocket-Extensions");

    static Upgrade of(
            SecurityGate gate,
            SecurityEvent.HttpRequest request,
            Evaluation requestEvaluation,
            SecurityEvent.HttpResponse response,
            Evaluation responseEvaluation,
            Optional<BrokeredMessages> secrets) {
        return new Upgrade(
                request,
                requestEvaluation,
                response,
                responseEvaluation,
                reads(gate, request),
                reads(gate, response),
                secrets);
    }

    /// Whether messages would be read if the upstream agrees, as far as can be told before it answers.
    static boolean isExpectedToBeRead(HttpDependencies around, SecurityEvent.HttpRequest request) {
        return reads(around.gate(), request)
                || reads(around.gate(), agreed(around.envelopes(), request, Headers.NONE, Body.NONE));
    }

    public boolean isRead() {
        return readsSent || readsReceived || secrets.isPresent();
    }

    /// Whether the upstream does to messages what rules cannot see through.
    boolean isExtended() {
        return response.headers().value(EXTENSIONS).isPresent();
    }

    /// A message as the event that rules see.
    public SecurityEvent message(EnvelopeSource envelopes, boolean isFromGuest, Body body) {
        return isFromGuest ? asked(envelopes, body) : agreed(envelopes, request, response.headers(), body);
    }

    private SecurityEvent.HttpRequest asked(EnvelopeSource envelopes, Body body) {
        return new SecurityEvent.HttpRequest(
                envelope(envelopes, request),
                request.method(),
                request.scheme(),
                request.host(),
                request.port(),
                request.path(),
                request.query(),
                request.headers(),
                body,
                request.address());
    }

    private static boolean reads(SecurityGate gate, SecurityEvent.HttpRequest request) {
        return gate.needsBody(request.withBody(new Body.Unread(Optional.empty())));
    }

    private static boolean reads(SecurityGate gate, SecurityEvent.HttpResponse response) {
        return gate.needsBody(response.withBody(new Body.Unread(Optional.empty())));
    }

    private static SecurityEvent.HttpResponse agreed(
            EnvelopeSource envelopes, SecurityEvent.HttpRequest request, Headers headers, Body body) {
        return new SecurityEvent.HttpResponse(
                envelope(envelopes, request), request, SWITCHING_PROTOCOLS, headers, body);
    }

    /// For an event that follows from the request.
    static Envelope envelope(EnvelopeSource envelopes, SecurityEvent.HttpRequest request) {
        return envelopes
                .inline(Correlation.NONE.withParent(request.envelope().id()))
                .withCaller(request.envelope().caller());
    }
}
