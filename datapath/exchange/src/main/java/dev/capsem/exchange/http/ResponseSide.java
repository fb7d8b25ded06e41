package dev.capsem.exchange.http;

import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.Headers;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.exchange.Judge;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The way back: a response's head is judged, then its body streams to the guest as it comes, byte for byte. It is held
/// only if a rule must read it first. Each step says what the exchange does next.
final class ResponseSide {
    private enum Step {
        AWAITED,
        /// Held until it is complete, or larger than what is inspected.
        HELD,
        /// Waiting for a decision.
        JUDGED,
        STREAMING,
        /// All of it but the end has left; the end waits for the record.
        ENDING,
        OVER
    }

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

    private Step state = Step.AWAITED;
    private final Deque<Chunk> held = new ArrayDeque<>();
    private boolean isReading = true;
    private boolean isComplete;
    private boolean keepsGuest;
    /// Something came that no request asked for.
    private boolean hasExcess;
    /// Whether the upstream ended the message with its head, as errors of gRPC are told: then so do we.
    private boolean endsWithHead;

    private Input.@Nullable ResponseHead head;
    /// A head that leaves together with the end.
    private @Nullable OutgoingResponse unsent;

    /// The end, while it waits for the record.
    private @Nullable Chunk end;

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
    }

    // ---------------------------------------------------------------- from the upstream

    /// @param take is told of each piece of a held body that there is room for
    Next head(Input.ResponseHead came, Judge judge, Consumer<Chunk> take) {
        if (head != null) {
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

    /// A 100 that the guest did not wait for, or has had from us, is not for it.
    private void interim(int status) {
        boolean isUnasked = status == 100 && !asked.awaitsContinue();
        if (!received.isHttp10() && status != 101 && !isUnasked) {
            actions.forwardInterim();
        }
    }

    private Next begins(Input.ResponseHead came, Judge judge, Consumer<Chunk> take) {
        boolean hasNoBody = hasNoBody(came.status());
        SecurityEvent.HttpResponse judged;
        try {
            judged = new SecurityEvent.HttpResponse(
                    envelope(),
                    request,
                    came.status(),
                    came.headers(),
                    hasNoBody ? Body.NONE : new Body.Unread(came.headers().value("content-type")));
        } catch (IllegalArgumentException unfit) {
            return new Next.Fails(Refusal.malformedResponse());
        }
        head = came;
        event = judged;
        endsWithHead = came.isWhole() || (!upstream.isHttp2() && (hasNoBody || came.length() == 0));
        BodyWatch watch = model.watch(came.status(), came.headers(), around);
        body = watch;
        log.responded(came.headers());
        if (!hasNoBody && (model.mustBeHeld(judge, envelope(), came.headers()) || judge.needsBody(judged))) {
            hold(watch, came, take);
            return Next.WAIT;
        }
        return judges(judged);
    }

    private void hold(BodyWatch watch, Input.ResponseHead came, Consumer<Chunk> take) {
        watch.keepAll();
        state = Step.HELD;
        Holding holds = new Holding(actions.room(false), watch, take);
        holding = holds;
        holds.expect(came.length());
        if (!model.isHeld() && isEventStream(came.headers())) {
            actions.startTimer(Wait.HELD_STREAM);
        }
    }

    private static boolean isEventStream(Headers headers) {
        return headers.value("content-type")
                .filter(type -> type.toLowerCase(Locale.ROOT).startsWith("text/event-stream"))
                .isPresent();
    }

    Optional<Holding> held() {
        return Optional.ofNullable(holding);
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
        if (state == Step.ENDING || state == Step.OVER || body == null || (isComplete && !isSwitching())) {
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
        if (state == Step.STREAMING) {
            return forward(chunk);
        }
        held.add(chunk);
        if (state == Step.HELD && (isComplete || body.isBeyondInspection())) {
            Objects.requireNonNull(holding, "it is held").collected();
            return judges(event().withBody(body.body()));
        }
        return Next.WAIT;
    }

    void upstreamRead() {
        isReading = false;
        if (state == Step.STREAMING) {
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

    // ---------------------------------------------------------------- the decision

    private Next judges(SecurityEvent.HttpResponse asked) {
        state = Step.JUDGED;
        event = asked;
        return new Next.Judges(DecisionSubject.RESPONSE, asked);
    }

    /// A body that is still held is refused. Any other is past that.
    Next refuseHeld(Evaluation refused) {
        if (state != Step.HELD) {
            return Next.WAIT;
        }
        state = Step.JUDGED;
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

    // ---------------------------------------------------------------- to the guest

    private Next begin() {
        if (isSwitching()) {
            return new Next.Switches();
        }
        state = Step.STREAMING;
        OptionalInt replaced = OptionalInt.empty();
        if (replacement.isPresent()) {
            releaseHeld();
            Chunk other = RequestBody.replacement(replacement.get());
            held.add(other);
            isComplete = true;
            replaced = OptionalInt.of(other.size());
        }
        boolean hasNoBody = hasNoBody(head().status());
        keepsGuest = keepsGuest(hasNoBody);
        OutgoingResponse outgoing =
                new OutgoingResponse(head().status(), changedHeaders, hasNoBody, replaced, keepsGuest);
        if (endsWithHead && replacement.isEmpty()) {
            unsent = outgoing;
        } else {
            actions.forwardHead(outgoing);
        }
        for (Chunk chunk = held.poll(); chunk != null; chunk = held.poll()) {
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

    /// Whether both sides will know where the next message begins. A guest that did not send all of its request
    /// may send the rest, or may not: no other request can follow.
    private boolean keepsGuest(boolean hasNoBody) {
        Headers headers = changedHeaders.orElse(head().headers());
        boolean hasLength = headers.value("content-length").isPresent()
                && headers.value("transfer-encoding").isEmpty();
        boolean isDelimited = hasNoBody || !received.isHttp10() || replacement.isPresent() || hasLength;
        return guest.isHttp2() || (isDelimited && received.keepsAlive() && requestBody.isComplete());
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
            held.addLast(last);
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
        if (holding == null || !held.isEmpty()) {
            return Reservation.NONE;
        }
        Reservation sent = holding.leaves();
        holding.forgets();
        return sent;
    }

    /// Nothing but the end is left to send.
    void ending(Chunk last) {
        state = Step.ENDING;
        end = last;
    }

    void sendEnd() {
        Chunk last = Objects.requireNonNull(end, "the end came");
        end = null;
        if (unsent == null) {
            actions.forwardEnd(last, leaving());
        } else {
            actions.forwardWhole(unsent, last, leaving());
        }
    }

    /// What the upstream said right after it agreed to switch; ours no longer.
    List<Chunk> early() {
        List<Chunk> early = List.copyOf(held);
        held.clear();
        return early;
    }

    void close() {
        releaseHeld();
        state = Step.OVER;
        if (holding != null) {
            holding.close();
        }
        if (body != null) {
            body.close();
        }
    }

    private void releaseHeld() {
        if (end != null) {
            end.release();
            end = null;
        }
        held.forEach(Chunk::release);
        held.clear();
    }

    /// Whether all of it came: what becomes of the upstream now is of no matter.
    boolean isComplete() {
        return isComplete;
    }

    boolean isEnding() {
        return state == Step.ENDING;
    }

    /// Whether the guest has seen a part of it, so that no other answer can be given.
    boolean isUnderWay() {
        return state == Step.STREAMING || state == Step.ENDING;
    }

    boolean keepsGuest() {
        return keepsGuest;
    }

    /// Whether the upstream's connection may serve another request.
    boolean keepsUpstream() {
        return !upstream.isHttp2() && head().keepsAlive() && !hasExcess;
    }

    OptionalInt status() {
        return head == null ? OptionalInt.empty() : OptionalInt.of(head.status());
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
        return model.isModelCall() && head != null;
    }

    private boolean hasNoBody(int code) {
        return request.method().equals("HEAD") || code == 204 || code == 304 || code == 101;
    }

    private boolean isSwitching() {
        return received.isUpgrade() && head().status() == 101;
    }

    private Envelope envelope() {
        return Upgrade.envelope(around.envelopes(), request);
    }

    private Input.ResponseHead head() {
        return Objects.requireNonNull(head, "the head came first");
    }

    private SecurityEvent.HttpResponse event() {
        return Objects.requireNonNull(event, "the head came first");
    }

    Upgrade upgrade() {
        Evaluation said = Objects.requireNonNull(evaluation, "the head was judged first");
        return Upgrade.of(around.gate(), request, log.evaluation(), event(), said);
    }
}
