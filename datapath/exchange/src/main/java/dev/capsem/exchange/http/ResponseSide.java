package dev.capsem.exchange.http;

import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.http.body.BodyWatch;
import dev.capsem.exchange.http.body.Chunk;
import dev.capsem.exchange.http.body.HeldChunks;
import dev.capsem.exchange.http.body.Holding;
import dev.capsem.exchange.http.body.RequestBody;
import dev.capsem.exchange.http.body.Reservation;
import dev.capsem.exchange.http.secret.ResponseScrub;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The way back: a response's head is judged, then its body streams to the guest as it comes, byte for byte. It is held
/// only if a rule must read it first. Each step says what the exchange does next.
final class ResponseSide {
    private final HttpDependencies around;
    private final Actions actions;
    private final ExchangeLog log;
    private final RequestSide asked;
    private final SecurityEvent.HttpRequest request;
    private final Input.RequestHead received;
    private final RequestBody requestBody;
    private final GuestFacts guest;
    private final Input.Connected upstream;
    private final ModelAnswer model;
    /// For a host that has a grant.
    private final @Nullable ResponseScrub scrub;

    private ResponseStep state = ResponseStep.AWAITED;
    private final HeldChunks held = new HeldChunks();
    private boolean isReading = true;
    private boolean isComplete;
    private boolean keepsGuest;
    /// Something came that no request asked for.
    private boolean hasExcess;
    /// Whether the head waits for the first of the body, which may change how that is sent.
    private boolean isDelayed;
    private @Nullable ResponseShape shape;
    /// A head that leaves together with the end.
    private @Nullable OutgoingResponse unsent;

    private SecurityEvent.@Nullable HttpResponse event;
    private SecurityEvent.@Nullable ModelResponse modelEvent;
    private @Nullable Evaluation evaluation;
    private @Nullable BodyWatch body;
    private @Nullable Holding holding;
    private Optional<Headers> changedHeaders = Optional.empty();
    private Optional<Body> replacement = Optional.empty();

    ResponseSide(
            HttpDependencies around,
            Actions actions,
            ExchangeLog log,
            RequestSide request,
            GuestFacts guest,
            Input.Connected upstream) {
        this.around = around;
        this.actions = actions;
        this.log = log;
        this.asked = request;
        this.request = request.event();
        this.received = request.received();
        this.requestBody = request.body();
        this.guest = guest;
        this.upstream = upstream;
        this.model = request.expectedAnswer();
        this.scrub = request.scrub().orElse(null);
    }

    /// @param take is told of each piece of a held body that there is room for
    Next head(Input.ResponseHead came, Judge judge, Consumer<Chunk> take) {
        if (shape != null) {
            hasExcess = true;
            return Next.WAIT;
        }
        if (came.status() == 407 && upstream.isForwarder()) {
            return new Next.Fails(Refusal.proxyCredentials());
        }
        boolean isSwitch = came.status() == 101 && received.isUpgrade();
        if (came.status() < 200 && !isSwitch) {
            interim(came.status());
            return Next.WAIT;
        }
        if (!isSwitch) {
            actions.startTimer(Wait.PROGRESS);
        }
        return begins(came, judge, take);
    }

    /// A 100 that the guest did not wait for, or has had from us, is not for it. The others are not scrubbed.
    private void interim(int status) {
        boolean isUnasked = status == 100 && !asked.awaitsContinue();
        if (received.isHttp10() || status == 101 || isUnasked) {
            return;
        }
        if (scrub == null) {
            actions.forwardInterim();
        } else if (status == 100) {
            actions.sendContinue();
        }
    }

    private Next begins(Input.ResponseHead came, Judge judge, Consumer<Chunk> take) {
        ResponseShape says = new ResponseShape(came, request, received, upstream.isHttp2());
        Headers headers = scrub == null ? came.headers() : scrub.clean(came.headers());
        Optional<SecurityEvent.HttpResponse> fit = says.event(envelope(), headers);
        if (fit.isEmpty()) {
            return new Next.Fails(Refusal.malformedResponse());
        }
        SecurityEvent.HttpResponse judged = fit.get();
        shape = says;
        event = judged;
        BodyWatch watch = model.watch(came.status(), headers, around);
        body = watch;
        if (scrub != null) {
            changedHeaders = headers.equals(came.headers()) ? Optional.empty() : Optional.of(headers);
            scrub.begin(headers, watch.isCoded() || watch.isUndecodable());
            watch.cleanWith(scrub);
        }
        log.responded(headers);
        if (!says.hasNoBody() && (model.mustBeHeld(judge, envelope(), headers) || judge.needsBody(judged))) {
            hold(watch, came, take);
            return Next.WAIT;
        }
        return judges(judged);
    }

    private void hold(BodyWatch watch, Input.ResponseHead came, Consumer<Chunk> take) {
        watch.keepAll();
        state = ResponseStep.HELD;
        Holding holds = new Holding(actions.room(false), watch, take);
        holding = holds;
        holds.expect(came.length());
        if (!model.isHeld() && shape().isEventStream()) {
            actions.startTimer(Wait.HELD_STREAM);
        }
    }

    /// There was no room for what is held.
    void giveUp() {
        Optional.ofNullable(holding).ifPresent(Holding::giveUp);
    }

    Next bytes(Chunk chunk) {
        if (holding == null) {
            return taken(chunk);
        }
        // It is told to the exchange piece by piece, as there is room.
        holding.came(chunk);
        return Next.WAIT;
    }

    void roomGiven() {
        if (holding != null) {
            holding.goOn();
            if (!holding.isWaiting()) {
                readUpstream();
            }
        }
    }

    /// Requires: there is room for it, if it is held. The chunk is ours to release.
    Next taken(Chunk chunk) {
        if (state == ResponseStep.ENDING
                || state == ResponseStep.OVER
                || body == null
                || (isComplete && !isSwitching())) {
            hasExcess |= isComplete;
            chunk.release();
            return Next.WAIT;
        }
        if (!isSwitching()) {
            body.sees(chunk);
            if (chunk.isLast()) {
                body.ended();
            }
        }
        if (body.isUndecodable()) {
            model.undecodable();
        }
        isComplete |= chunk.isLast();
        if (scrub == null || isSwitching()) {
            return goesOn(chunk);
        }
        Next next = Next.WAIT;
        for (Chunk clean : scrub.passes(chunk, body.isUndecodable())) {
            next = goesOn(clean);
        }
        if (scrub.isLost()) {
            return lost();
        }
        return isDelayed && !scrub.holdsHead() ? begin() : next instanceof Next.Waits ? collected() : next;
    }

    /// What is said cannot be taken back, and what is not is not said.
    private Next lost() {
        Evaluation lost = ResponseScrub.LOST;
        log.judgedResponse(event(), lost);
        log.failed(lost.reason().orElseThrow());
        return isUnderWay() ? new Next.CutsShort() : new Next.Blocks(lost, "response");
    }

    private Next goesOn(Chunk chunk) {
        if (state == ResponseStep.STREAMING && !isDelayed) {
            return forward(chunk);
        }
        held.add(chunk);
        return collected();
    }

    private Next collected() {
        BodyWatch watch = Objects.requireNonNull(body, "the head came first");
        if (state == ResponseStep.HELD && (isComplete || watch.isBeyondInspection())) {
            Objects.requireNonNull(holding, "it is held").collected();
            return judges(event().withBody(watch.body()));
        }
        return Next.WAIT;
    }

    void upstreamRead() {
        isReading = false;
        if (state == ResponseStep.STREAMING) {
            actions.flushGuest();
        }
        readUpstream();
    }

    /// No faster than the guest reads.
    void readUpstream() {
        boolean wants = switch (state) {
            case AWAITED -> true;
            case HELD -> holding == null || !holding.isWaiting();
            case STREAMING -> actions.isGuestWritable();
            case JUDGED, ENDING, OVER -> false;
        };
        if (wants && !isReading && !isComplete) {
            isReading = true;
            actions.readUpstream();
        }
    }

    private Next judges(SecurityEvent.HttpResponse asked) {
        state = ResponseStep.JUDGED;
        event = asked;
        return new Next.Judges(DecisionSubject.RESPONSE, asked);
    }

    /// A body that is still held is refused. Any other is past that.
    Next refuseHeld(Evaluation refused) {
        if (state != ResponseStep.HELD) {
            return Next.WAIT;
        }
        state = ResponseStep.JUDGED;
        log.judgedResponse(event(), refused);
        return new Next.Blocks(refused, "response");
    }

    Next heldTooLong(long seconds) {
        return refuseHeld(Evaluation.blocked(
                BlockCause.BODY_UNREAD,
                "a rule must read all of this stream of events, and it did not end within " + seconds + " s"));
    }

    Next decided(Evaluation said) {
        SecurityEvent.HttpResponse asked = event();
        log.judgedAnswer(asked, said);
        evaluation = said;
        return switch (said.outcome()) {
            case Evaluation.Allowed _ -> judgeModel();
            case Evaluation.Rewritten(SecurityEvent changed, var _)
            when changed instanceof SecurityEvent.HttpResponse rewritten && !isSwitching() -> {
                if (!rewritten.headers().equals(asked.headers())) {
                    changedHeaders = Optional.of(rewritten.headers());
                    log.responded(rewritten.headers());
                }
                if (!rewritten.body().equals(asked.body())) {
                    replacement = Optional.of(rewritten.body());
                }
                yield judgeModel();
            }
            case Evaluation.Rewritten _, Evaluation.Blocked _, Evaluation.Asked _ -> new Next.Blocks(said, "response");
        };
    }

    private Next judgeModel() {
        if (!model.isHeld()) {
            return begin();
        }
        SecurityEvent.ModelResponse said = understood();
        modelEvent = said;
        return new Next.Judges(DecisionSubject.MODEL_RESPONSE, said);
    }

    Next modelDecided(Evaluation said) {
        log.judgedResponse(Objects.requireNonNull(modelEvent, "the answer was judged"), said);
        return said.outcome() instanceof Evaluation.Allowed ? begin() : new Next.Blocks(said, "model response");
    }

    /// Why the body cannot be decoded, if so.
    Optional<String> trouble() {
        return Optional.ofNullable(body).flatMap(BodyWatch::trouble);
    }

    private SecurityEvent.ModelResponse understood() {
        return model.understood(envelope(), body != null && body.isBeyondInspection());
    }

    private Next begin() {
        if (isSwitching()) {
            return new Next.Switches();
        }
        state = ResponseStep.STREAMING;
        isDelayed = replacement.isEmpty() && !shape().endsWithHead() && scrub != null && scrub.holdsHead();
        if (isDelayed) {
            readUpstream();
            return Next.WAIT;
        }
        OptionalInt replaced = OptionalInt.empty();
        if (replacement.isPresent()) {
            held.release();
            Chunk other = RequestBody.replacement(replacement.get());
            held.add(other);
            isComplete = true;
            replaced = OptionalInt.of(other.size());
        } else if (scrub != null) {
            held.addAll(scrub.open());
            changedHeaders =
                    scrub.opened(changedHeaders.orElse(head().headers())).or(() -> changedHeaders);
        }
        keepsGuest = guest.isHttp2()
                || (shape().isDelimited(changedHeaders.orElse(head().headers()), replacement.isPresent())
                        && received.keepsAlive()
                        && requestBody.isComplete());
        OutgoingResponse outgoing = new OutgoingResponse(
                head().status(), changedHeaders, shape().hasNoBody(), replaced, keepsGuest, scrub == null);
        if (shape().endsWithHead() && replacement.isEmpty()) {
            unsent = outgoing;
        } else {
            actions.forwardHead(outgoing);
        }
        while (!held.isEmpty()) {
            Chunk chunk = held.take();
            Next next = forward(chunk);
            if (chunk.isLast()) {
                return next;
            }
        }
        if (!isReading) {
            // Otherwise more of the same read may follow, and its end flushes: one write for head and body.
            actions.flushGuest();
            readUpstream();
        }
        return Next.WAIT;
    }

    private Next forward(Chunk chunk) {
        if (chunk.isLast()) {
            return ends(chunk);
        }
        actions.forward(chunk, leaving());
        return Next.WAIT;
    }

    /// A model's answer that was not held is judged now that all of it was seen. It is too late to take back what was
    /// read along, but not to keep the guest from taking it for whole.
    private Next ends(Chunk last) {
        if (model.isUnjudged()) {
            // A bug in the evaluation ends the exchange, and that releases what is held.
            held.add(last);
            SecurityEvent.ModelResponse said = understood();
            Evaluation late = around.gate().evaluate(said);
            held.removeLast();
            log.judgedResponse(said, late);
            if (!(late.outcome() instanceof Evaluation.Allowed)) {
                last.release();
                return new Next.CutsShort();
            }
        }
        return new Next.Ends(last);
    }

    /// With the last of a held body its room is on its way back.
    private Reservation leaving() {
        return holding == null || !held.isEmpty() ? Reservation.NONE : holding.leavesForGood();
    }

    /// Nothing but the end is left to send.
    void ending(Chunk last) {
        state = ResponseStep.ENDING;
        held.endWith(last);
    }

    void sendEnd() {
        Chunk last = held.takeEnd();
        if (unsent == null) {
            actions.forwardEnd(last, leaving());
        } else {
            actions.forwardWhole(unsent, last, leaving());
        }
    }

    /// What the upstream said right after it agreed to switch; ours no longer.
    List<Chunk> early() {
        return held.takeAll();
    }

    void close() {
        held.release();
        state = ResponseStep.OVER;
        if (holding != null) {
            holding.close();
        }
        if (body != null) {
            body.close();
        }
        if (scrub != null) {
            scrub.close();
        }
    }

    /// Whether all of it came: what becomes of the upstream now is of no matter.
    boolean isComplete() {
        return isComplete;
    }

    boolean isEnding() {
        return state == ResponseStep.ENDING;
    }

    /// Whether the guest has seen a part of it, so that no other answer can be given.
    boolean isUnderWay() {
        return (state == ResponseStep.STREAMING && !isDelayed) || state == ResponseStep.ENDING;
    }

    /// A guest that did not send all of its request may send the rest, or may not: no other request can follow.
    boolean keepsGuest() {
        return keepsGuest;
    }

    /// Whether the upstream's connection may serve another request.
    boolean keepsUpstream() {
        return !upstream.isHttp2() && head().keepsAlive() && !hasExcess;
    }

    OptionalInt status() {
        return shape == null ? OptionalInt.empty() : OptionalInt.of(head().status());
    }

    long bytes() {
        return body == null ? 0 : body.bytes();
    }

    Optional<String> previewText() {
        return Optional.ofNullable(body).flatMap(BodyWatch::previewText);
    }

    long parsedEvents() {
        return model.parsedEvents();
    }

    boolean isModelAnswered() {
        return model.isModelCall() && shape != null;
    }

    private boolean isSwitching() {
        return shape().isSwitching();
    }

    private Envelope envelope() {
        return Upgrade.envelope(around.envelopes(), request);
    }

    private Input.ResponseHead head() {
        return shape().head();
    }

    private ResponseShape shape() {
        return Objects.requireNonNull(shape, "the head came first");
    }

    private SecurityEvent.HttpResponse event() {
        return Objects.requireNonNull(event, "the head came first");
    }

    Upgrade upgrade() {
        Evaluation said = Objects.requireNonNull(evaluation, "the head was judged first");
        return Upgrade.of(around.gate(), request, log.evaluation(), event(), said, asked.messages());
    }
}
