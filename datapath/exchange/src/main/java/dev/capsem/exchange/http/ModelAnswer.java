package dev.capsem.exchange.http;

import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.traffic.ModelTap;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.http.body.BodyWatch;
import dev.capsem.exchange.http.body.Preview;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// What a response is to the reader of model calls, if its request was one.
final class ModelAnswer {
    private final Optional<ModelTap> tap;
    private final Optional<SecurityEvent.ModelRequest> asked;
    private boolean isHeld;
    private boolean isJudged;
    private boolean isLost;

    ModelAnswer(Optional<ModelTap> tap, Optional<SecurityEvent.ModelRequest> asked) {
        this.tap = tap;
        this.asked = asked;
    }

    /// @return looks at the body, and shows it to the reader
    BodyWatch watch(int status, Headers headers, HttpDependencies around) {
        tap.ifPresent(reader -> reader.responseHead(status, headers));
        return new BodyWatch(
                headers,
                around.readers().apply(headers),
                around.redactor(),
                tap.isPresent() ? Preview.MODEL_BYTES_MAX : Preview.BYTES_MAX,
                tap);
    }

    /// Whether a rule must have read all of it before the guest has any.
    boolean mustBeHeld(Judge judge, Envelope envelope, Headers headers) {
        isHeld = asked.map(request -> judge.needsBody(new SecurityEvent.ModelResponse(
                        envelope,
                        request,
                        Optional.empty(),
                        Optional.empty(),
                        new Body.Unread(headers.value("content-type")),
                        List.of(),
                        OptionalLong.empty(),
                        OptionalLong.empty())))
                .orElse(false);
        return isHeld;
    }

    boolean isHeld() {
        return isHeld && tap.isPresent();
    }

    /// Whether rules are still to hear of it.
    boolean isUnjudged() {
        return tap.isPresent() && !isJudged;
    }

    void undecodable() {
        if (!isLost) {
            isLost = true;
            tap.ifPresent(ModelTap::undecodable);
        }
    }

    /// Requires: the request was a model call. For rules, once.
    SecurityEvent.ModelResponse understood(Envelope envelope, boolean isBeyondInspection) {
        isJudged = true;
        SecurityEvent.ModelResponse said = tap.orElseThrow().response(envelope);
        if (!isBeyondInspection) {
            return said;
        }
        return new SecurityEvent.ModelResponse(
                said.envelope(),
                said.request(),
                said.model(),
                said.stopReason(),
                new Body.TooLarge(OptionalLong.empty(), said.body().contentType()),
                said.toolCalls(),
                said.inputTokens(),
                said.outputTokens());
    }

    long parsedEvents() {
        return tap.map(ModelTap::parsedEvents).orElse(0L);
    }

    boolean isModelCall() {
        return tap.isPresent();
    }
}
