package dev.capsem.network.http;

import dev.capsem.events.Correlation;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.traffic.ModelTap;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Whether a request may leave, and as what: as HTTP first, then as a model call if it is one.
final class RequestVerdict {
    /// Told once, on the loop.
    interface Ended {
        void passed(Passed passed);

        void refused(SecurityEvent.HttpRequest request, Refusal refusal);

        /// Whether anybody still waits for the end.
        boolean isAwaited();
    }

    /// A request as it may go on.
    ///
    /// @param replacement the body that a rule put in place of its own
    /// @param tap reads along with the reply, if it is a model call
    /// @param modelRequest what the model is asked, if it is a model call
    record Passed(
            SecurityEvent.HttpRequest request,
            Optional<Body> replacement,
            Optional<ModelTap> tap,
            Optional<SecurityEvent.ModelRequest> modelRequest) {}

    private final Judge judge;
    private final Evidence evidence;
    private final EnvelopeSource envelopes;
    private final Optional<ModelTap> tap;
    private final RequestBody body;
    private final Ended ended;
    private Optional<Body> replacement = Optional.empty();

    RequestVerdict(
            Judge judge,
            Evidence evidence,
            EnvelopeSource envelopes,
            Optional<ModelTap> tap,
            RequestBody body,
            Ended ended) {
        this.judge = judge;
        this.evidence = evidence;
        this.envelopes = envelopes;
        this.tap = tap;
        this.body = body;
        this.ended = ended;
    }

    void start(SecurityEvent.HttpRequest asked) {
        judge.judge(asked, raw -> {
            if (!ended.isAwaited()) {
                return;
            }
            Evaluation evaluation = Refusal.naming(raw, body::trouble);
            switch (evaluation.outcome()) {
                case Evaluation.Rewritten(SecurityEvent changed, var _)
                when changed instanceof SecurityEvent.HttpRequest rewritten
                        && rewritten.host().equals(asked.host()) -> {
                    if (!rewritten.body().equals(asked.body())) {
                        replacement = Optional.of(rewritten.body());
                    }
                    passed(rewritten, evaluation);
                }
                case Evaluation.Allowed _ -> passed(asked, evaluation);
                case Evaluation.Rewritten _, Evaluation.Blocked _, Evaluation.Asked _ -> {
                    evidence.judgedRequest(asked, evaluation);
                    ended.refused(asked, Refusal.blocked(evaluation, "request"));
                }
            }
        });
    }

    private void passed(SecurityEvent.HttpRequest request, Evaluation evaluation) {
        evidence.judgedRequest(request, evaluation);
        if (tap.isEmpty()) {
            ended.passed(new Passed(request, replacement, Optional.empty(), Optional.empty()));
        } else {
            judgeModel(request, tap.get());
        }
    }

    private void judgeModel(SecurityEvent.HttpRequest request, ModelTap reader) {
        boolean isTooLarge = request.body() instanceof Body.TooLarge;
        byte[] content = replacement.isPresent() && replacement.get() instanceof Body.Text text
                ? text.text().getBytes(StandardCharsets.UTF_8)
                : body.content();
        Optional<SecurityEvent.ModelRequest> found = reader.request(
                envelopes
                        .inline(Correlation.NONE.withParent(request.envelope().id()))
                        .withCaller(request.envelope().caller()),
                content,
                isTooLarge);
        if (found.isEmpty()) {
            ended.passed(new Passed(request, replacement, Optional.empty(), Optional.empty()));
            return;
        }
        SecurityEvent.ModelRequest asked = found.get();
        judge.judge(asked, raw -> {
            if (!ended.isAwaited()) {
                return;
            }
            Evaluation verdict = Refusal.naming(raw, body::trouble);
            evidence.judgedModelRequest(asked, verdict, reader);
            if (verdict.outcome() instanceof Evaluation.Allowed) {
                ended.passed(new Passed(request, replacement, Optional.of(reader), Optional.of(asked)));
            } else {
                // A model request has no fields that a rewrite may touch, so one that says so is a block as well.
                ended.refused(request, Refusal.blocked(verdict, "model request"));
            }
        });
    }
}
