package dev.capsem.exchange.http;

import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Evaluation;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.http.body.Chunk;
import dev.capsem.exchange.http.body.RequestBody;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// One request from its head to the end of its answer: admitted to the record, judged, then carried. Nothing reaches an
/// upstream before the decision. Blocked and rewritten exchanges are on record before their last byte is sent.
///
/// Takes one [Input] at a time; an action may bring the next one within the call. Not safe for several threads.
public final class HttpExchange {
    private final HttpDependencies around;
    private final Actions actions;
    private final GuestFacts guest;
    private final Judge judge;
    private final ExchangeDecisions decisions;
    private final ExchangeLog log;
    private final RequestSide request;
    private final RequestBody body;
    private final GuestReading reading;

    private State state = State.COLLECTING;
    private boolean isRecorded;
    private boolean mayRetry = true;

    private Input.@Nullable Connected upstream;
    private @Nullable ResponseSide response;
    private @Nullable ErrorResponse own;
    /// Whether both sides know where the next request begins, as far as this one says.
    private boolean keepsAlive;

    public HttpExchange(HttpDependencies around, GuestFacts guest, Instant at, Actions actions) {
        this.around = around;
        this.actions = actions;
        this.guest = guest;
        this.judge = new Judge(around.gate(), around.known());
        this.decisions = new ExchangeDecisions(judge, actions);
        this.log = new ExchangeLog(guest.caller(), guest.connectionType(), at, around.redactor());
        this.request = new RequestSide(around, actions, log, judge);
        this.body = request.body();
        this.reading = new GuestReading(actions);
    }

    /// Our own mistake ends this exchange, visibly, and no other.
    public void on(Input input) {
        try {
            step(input);
        } catch (RuntimeException bug) {
            actions.failed(bug);
            ownMistake();
        }
    }

    private void ownMistake() {
        Refusal refusal = Refusal.ownMistake();
        log.failed(refusal.reason());
        if (state == State.OVER || cutShortIfUnderWay()) {
            return;
        }
        if (request.hasEvent() && state != State.ANSWERING) {
            failUnjudged(BlockCause.ENGINE_FAILURE, refusal);
        } else {
            over();
            actions.abort();
        }
    }

    private void step(Input input) {
        switch (input) {
            case Input.RequestHead came -> begin(came);
            case Input.RequestRefused refused -> refuseUnread(refused);
            case Input.RequestBytes came -> body.arrives(came.chunk(), this::requestTaken);
            case Input.RequestBroken broken -> requestBroken(broken);
            case Input.GuestRead _ -> guestRead();
            case Input.GuestWritable _ -> response().ifPresent(ResponseSide::readUpstream);
            case Input.GuestInputOver _ -> decisions.refuse();
            case Input.GuestGone _ -> guestGone();
            case Input.Admitted _ -> admitted();
            case Input.NotAdmitted not -> notAdmitted(Refusal.unrecorded(not.refused()));
            case Input.Recorded _ -> recorded();
            case Input.Answered answered ->
                decisions.answered(answered.answer()).ifPresent(this::decided);
            case Input.NotAnswered _ -> decisions.notAnswered().ifPresent(this::decided);
            case Input.Reserved came -> next(request.reserved(came.answer(), state == State.RESERVING));
            case Input.Located found when state == State.LOCATING -> next(request.located(found));
            case Input.NotLocated not when state == State.LOCATING -> next(request.notLocated(not));
            case Input.NotConnected not when state == State.CONNECTING -> next(request.notConnected(not));
            case Input.Located _, Input.NotLocated _, Input.NotConnected _ -> {}
            case Input.Connected found -> connected(found);
            case Input.ResponseHead came -> responseHead(came);
            case Input.ResponseUnfit _ -> fail(Refusal.malformedResponse());
            case Input.ResponseBytes came -> responseBytes(came.chunk());
            case Input.UpstreamRead _ -> response().ifPresent(ResponseSide::upstreamRead);
            case Input.UpstreamWritable _ -> readGuest();
            case Input.UpstreamGone gone -> upstreamGone(gone.reason());
            case Input.RoomGiven given -> roomGiven(given.isForRequest());
            case Input.NoRoom none -> noRoom(none.isForRequest(), none.reason());
            case Input.TimerFired fired -> timerFired(fired.due());
        }
    }

    private void next(Next next) {
        switch (next) {
            case Next.Waits _ -> {}
            case Next.Admits _ -> {
                // A request that could not be recorded is not even judged: nobody is asked, and nothing leaves.
                state = State.ADMITTING;
                actions.admit();
            }
            case Next.Judges judges -> settled(decisions.judge(judges.subject(), judges.event()));
            case Next.JudgesAgain again -> {
                state = State.JUDGING;
                settled(decisions.judgeAgain(again.located(), again.first()));
            }
            case Next.Locates _ -> locate();
            case Next.Connects connects -> {
                state = State.CONNECTING;
                actions.connect(connects.target(), mayRetry);
            }
            case Next.Reserves reserves -> {
                state = State.RESERVING;
                actions.reserve(request.spending().wanted(), reserves.isApproved());
            }
            case Next.Asks asks -> settled(decisions.ask(asks.subject(), asks.event(), asks.question()));
            case Next.Blocks blocks -> block(blocks.evaluation(), blocks.what());
            case Next.Fails fails -> fail(fails.refusal());
            case Next.Ends ends -> responseEnds(ends.last());
            case Next.CutsShort _ -> cutShort();
            case Next.Switches _ -> tunnel();
        }
    }

    // ---------------------------------------------------------------- the guest

    private void begin(Input.RequestHead came) {
        keepsAlive = came.keepsAlive();
        next(request.head(came, this::requestTaken));
    }

    private void refuseUnread(Input.RequestRefused refused) {
        keepsAlive = refused.keepsAlive();
        request.unfit(refused.event());
        refuse(refused.refusal());
    }

    private void requestTaken(Chunk chunk) {
        switch (state) {
            case ANSWERING, OVER -> body.threwAway(chunk);
            case COLLECTING -> next(request.collected(chunk));
            case ADMITTING, JUDGING, RESERVING, LOCATING, CONNECTING -> body.came(chunk);
            case CARRYING -> {
                body.came(chunk);
                next(request.sendBody(true));
            }
        }
    }

    /// The decoder gave up on what followed the head.
    private void requestBroken(Input.RequestBroken broken) {
        log.failed("the request broke off: " + broken.reason());
        if (!cutShortIfUnderWay() && state != State.ANSWERING && state != State.OVER) {
            body.broke();
            refuse(Refusal.malformed(broken.status(), broken.reason()));
        }
    }

    private void guestRead() {
        reading.arrived();
        if (state == State.CARRYING) {
            actions.flushUpstream();
        }
        readGuest();
    }

    /// Reads on while somebody can take it, and one piece ahead otherwise, so that a guest that leaves is noticed.
    private void readGuest() {
        if (reading.isWanted(state, body)) {
            // A guest that half-closes a plain connection may still listen, so its end is looked for only while a
            // person is asked: nobody should answer for a guest that is gone.
            reading.read(body.isComplete(), guest.isTls() || decisions.isAsking());
        }
    }

    private void guestGone() {
        if (state == State.OVER) {
            return;
        }
        actions.closeUpstream();
        if (state != State.ANSWERING) {
            if (request.hasEvent() && !log.isJudged()) {
                log.judgedRequest(
                        request.event(),
                        Evaluation.blocked(BlockCause.NOT_APPROVED, "the guest left before it was decided"));
            }
            log.failed("the guest left before the answer was complete");
            record(Outcome.ERROR, response().map(ResponseSide::status).orElse(OptionalInt.empty()));
        }
        over();
    }

    private void admitted() {
        if (state == State.ADMITTING) {
            state = State.JUDGING;
            next(new Next.Judges(DecisionSubject.REQUEST, request.event()));
        } else {
            actions.release();
        }
    }

    private void notAdmitted(Refusal refusal) {
        if (state == State.ADMITTING) {
            isRecorded = true;
            answer(refusal, "block", Outcome.DENIED);
        }
    }

    private void settled(Optional<ExchangeDecisions.Decided> decided) {
        if (decided.isPresent()) {
            decided(decided.get());
        } else {
            // A person is asked: from now on it matters whether the guest is still there.
            readGuest();
        }
    }

    private void decided(ExchangeDecisions.Decided decided) {
        Evaluation evaluation = decided.evaluation();
        next(
                switch (decided.subject()) {
                    case REQUEST -> request.decided(Refusal.naming(evaluation, body::trouble));
                    case MODEL_REQUEST -> request.modelDecided(Refusal.naming(evaluation, body::trouble));
                    case ADDRESS -> request.addressDecided(evaluation);
                    case SPENDING -> request.spendingDecided(evaluation);
                    case RESPONSE -> carried().decided(Refusal.naming(evaluation, carried()::trouble));
                    case MODEL_RESPONSE -> carried().modelDecided(Refusal.naming(evaluation, carried()::trouble));
                });
    }

    // ---------------------------------------------------------------- the upstream

    private void locate() {
        state = State.LOCATING;
        request.locate();
        actions.startTimer(Wait.CONNECTION);
        actions.locate(request.event(), mayRetry);
    }

    private void connected(Input.Connected found) {
        if (state != State.CONNECTING) {
            actions.closeUpstream();
            return;
        }
        state = State.CARRYING;
        upstream = found;
        OutgoingRequest outgoing = request.outgoing();
        ResponseSide side = new ResponseSide(around, actions, log, request, guest, found);
        response = side;
        actions.sendRequest(outgoing);
        if (response != side || state != State.CARRYING) {
            // The connection died with the first write.
            return;
        }
        next(request.sendBody(false));
        if (state != State.CARRYING) {
            return;
        }
        actions.flushUpstream();
        actions.readUpstream();
        actions.startTimer(Wait.RESPONSE_HEAD);
        readGuest();
    }

    private void responseHead(Input.ResponseHead came) {
        if (state == State.CARRYING) {
            mayRetry = false;
            next(carried().head(came, judge, chunk -> next(carried().taken(chunk))));
        }
    }

    private void responseBytes(Chunk chunk) {
        response().ifPresentOrElse(side -> next(side.bytes(chunk)), chunk::release);
    }

    private void responseEnds(Chunk end) {
        ResponseSide side = carried();
        side.ending(end);
        record(Outcome.ALLOWED, side.status());
        if (log.mustWait()) {
            actions.awaitRecord();
        } else {
            end();
        }
    }

    private void recorded() {
        if (state == State.ANSWERING) {
            respond();
        } else if (state == State.CARRYING && carried().isEnding()) {
            end();
        }
    }

    private void end() {
        ResponseSide side = carried();
        side.sendEnd();
        if (side.keepsUpstream() && body.isComplete()) {
            actions.releaseUpstream();
        } else {
            actions.closeUpstream();
        }
        boolean keepsGuest = body.isComplete() && side.keepsGuest();
        over();
        actions.done(keepsGuest);
    }

    private void tunnel() {
        ResponseSide side = carried();
        Upgrade upgrade = side.upgrade();
        if (upgrade.isRead() && upgrade.isExtended()) {
            fail(Upgrade.EXTENDED);
            return;
        }
        isRecorded = true;
        var early = side.early();
        over();
        actions.tunnel(log, upgrade, early);
    }

    private void upstreamGone(String reason) {
        if (state != State.CARRYING || carried().isComplete()) {
            return;
        }
        actions.closeUpstream();
        if (Objects.requireNonNull(upstream).isReused() && mayRetry && request.isRepeatable()) {
            // The connection had been idle and its end crossed our request.
            mayRetry = false;
            response = null;
            body.restart();
            locate();
            return;
        }
        cutShortOrFail(Refusal.upstreamFailed(reason, "try again"));
    }

    private void roomGiven(boolean isForRequest) {
        if (!isForRequest) {
            response().ifPresent(ResponseSide::roomGiven);
            return;
        }
        if (request.roomGiven(state == State.COLLECTING)) {
            readGuest();
        }
    }

    private void noRoom(boolean isForRequest, String reason) {
        Evaluation full = Evaluation.blocked(BlockCause.INSPECTION_FULL, reason);
        if (isForRequest) {
            log.judgedRequest(request.event(), full);
            block(full, "request");
            body.giveUp();
        } else if (response != null) {
            next(response.refuseHeld(full));
            // What waited is thrown away.
            response.giveUp();
        }
    }

    private void timerFired(Wait wait) {
        switch (wait) {
            case REQUEST_BODY -> failUnjudged(BlockCause.BODY_UNREAD, Refusal.timeout(wait.overdue()));
            case CONNECTION, RESPONSE_HEAD -> fail(Refusal.timeout(wait.overdue()));
            case PROGRESS -> cutShortOrFail(Refusal.timeout(wait.overdue()));
            case HELD_STREAM -> response().ifPresent(side -> next(side.heldTooLong(around.heldStreamSeconds())));
        }
    }

    // ---------------------------------------------------------------- the end

    /// We answer in the upstream's place, because of what was decided.
    private void block(Evaluation evaluation, String what) {
        if (!cutShortIfUnderWay()) {
            answer(Refusal.blocked(evaluation, what), "block", Outcome.DENIED);
        }
    }

    private void fail(Refusal refusal) {
        log.failed(refusal.reason());
        answer(refusal, "error", Outcome.ERROR);
    }

    /// If nobody has decided about it yet, it is on record all the same.
    private void failUnjudged(BlockCause cause, Refusal refusal) {
        if (!log.isJudged()) {
            log.judgedRequest(request.event(), Evaluation.blocked(cause, refusal.reason()));
        }
        fail(refusal);
    }

    private void refuse(Refusal refusal) {
        log.judgedRequest(request.event(), refusal.asEvaluation());
        answer(refusal, "block", Outcome.DENIED);
    }

    private void answer(Refusal refusal, String decision, Outcome outcome) {
        if (state == State.OVER || state == State.ANSWERING) {
            return;
        }
        state = State.ANSWERING;
        decisions.withdraw();
        actions.stopTimer();
        actions.closeUpstream();
        body.discard();
        ErrorResponse answer = request.answer(refusal, decision);
        own = answer;
        log.responded(answer.headers());
        // What could not be read leaves no way to tell where the next request begins.
        keepsAlive &= !refusal.code().equals(Refusal.MALFORMED);
        record(outcome, OptionalInt.of(answer.status()));
        actions.awaitRecord();
        readGuest();
    }

    private void respond() {
        boolean keepsGuest = body.isComplete() && keepsAlive;
        actions.respond(Objects.requireNonNull(own, "we answer"), keepsGuest);
        over();
        actions.done(keepsGuest);
    }

    private void cutShortOrFail(Refusal refusal) {
        log.failed(refusal.reason());
        if (!cutShortIfUnderWay()) {
            fail(refusal);
        }
    }

    /// @return whether the guest had seen a part of the response, so that no other answer could be given
    private boolean cutShortIfUnderWay() {
        boolean isUnderWay = isAnswered();
        if (isUnderWay) {
            cutShort();
        }
        return isUnderWay;
    }

    private void cutShort() {
        record(Outcome.ERROR, carried().status());
        actions.closeUpstream();
        over();
        actions.abort();
    }

    private void record(Outcome outcome, OptionalInt status) {
        if (!isRecorded) {
            isRecorded = true;
            request.spending().settle();
            actions.record(log, Ending.of(outcome, status, body, response()));
        }
    }

    private void over() {
        state = State.OVER;
        decisions.withdraw();
        actions.stopTimer();
        request.spending().settle();
        if (!isRecorded) {
            actions.release();
        }
        body.close();
        response().ifPresent(ResponseSide::close);
    }

    /// Whether all of the request came.
    public boolean isRequestComplete() {
        return body.isComplete();
    }

    /// Whether the guest has seen a part of its answer.
    public boolean isAnswered() {
        return response().filter(ResponseSide::isUnderWay).isPresent();
    }

    private ResponseSide carried() {
        return Objects.requireNonNull(response, "the request was sent");
    }

    private Optional<ResponseSide> response() {
        return Optional.ofNullable(response);
    }
}
