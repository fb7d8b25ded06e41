package dev.capsem.exchange.http;

import dev.capsem.broker.BrokeredMessages;
import dev.capsem.events.budget.SpendingAnswer;
import dev.capsem.events.budget.SpendingHold;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.traffic.ModelTap;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.http.body.BodyReader;
import dev.capsem.exchange.http.body.Chunk;
import dev.capsem.exchange.http.body.RequestBody;
import dev.capsem.exchange.http.budget.CallSpending;
import dev.capsem.exchange.http.secret.RequestSecrets;
import dev.capsem.exchange.http.secret.ResponseScrub;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The way out: whether a request may leave, as what, and where to. Each step says what the exchange does next.
final class RequestSide {
    private final HttpDependencies around;
    private final Actions actions;
    private final ExchangeLog log;
    private final Judge judge;
    private final RequestBody body = new RequestBody();
    private final RequestSecrets secrets;
    private final CallSpending spending;

    private boolean sentContinue;
    private boolean hasSentContent;
    private Input.@Nullable RequestHead head;
    private SecurityEvent.@Nullable HttpRequest event;
    private Optional<ModelTap> tap = Optional.empty();
    private Optional<SecurityEvent.ModelRequest> modelRequest = Optional.empty();
    private Optional<Body> replacement = Optional.empty();
    private @Nullable UpstreamSelector selector;
    private UpstreamSelector.@Nullable Choice choice;
    private @Nullable UpstreamTarget target;

    /// What was decided about the request before its address was known.
    private @Nullable Evaluation first;

    RequestSide(HttpDependencies around, Actions actions, ExchangeLog log, Judge judge) {
        this.around = around;
        this.actions = actions;
        this.log = log;
        this.judge = judge;
        this.secrets = new RequestSecrets(around.grants());
        this.spending = new CallSpending(around.spending());
    }

    // ---------------------------------------------------------------- from the guest

    /// @param take is told of each piece of a held body that there is room for
    Next head(Input.RequestHead came, Consumer<Chunk> take) {
        head = came;
        SecurityEvent.HttpRequest request = came.event();
        event = request;
        if (came.isWhole()) {
            body.none();
        }
        tap = around.observer().modelCall(request);
        secrets.begin(request);
        BodyReader decoder = around.readers().apply(request.headers());
        body.watch(request.headers(), decoder, around.redactor(), tap.isPresent(), secrets.bodyScan());
        boolean mustRead = tap.isPresent() || secrets.holdsBody(came.length()) || judge.needsBody(request);
        if (!came.hasBody() || !mustRead) {
            return new Next.Admits();
        }
        body.hold(actions.room(true), came.length(), take);
        if (!body.isHeldUp()) {
            awaitBody();
        }
        return Next.WAIT;
    }

    /// A request that cannot be judged.
    void unfit(SecurityEvent.HttpRequest nearest) {
        event = nearest;
    }

    void awaitBody() {
        if (awaitsContinue()) {
            sentContinue = true;
            actions.sendContinue();
        }
        actions.startTimer(Wait.REQUEST_BODY);
    }

    /// @return whether more of the body may come
    boolean roomGiven(boolean isCollecting) {
        body.roomGiven();
        if (!body.isHeldUp() && isCollecting) {
            awaitBody();
        }
        return !body.isHeldUp();
    }

    /// Whether the guest waits to be told that it may send the body.
    boolean awaitsContinue() {
        return received().expectsContinue() && !sentContinue;
    }

    /// More of a body that rules read.
    Next collected(Chunk chunk) {
        body.came(chunk);
        if (!body.isReadyForRules()) {
            return Next.WAIT;
        }
        actions.stopTimer();
        body.collected();
        event = event().withBody(body.forRules());
        return new Next.Admits();
    }

    // ---------------------------------------------------------------- whether it may leave

    Next decided(Evaluation evaluation) {
        SecurityEvent.HttpRequest judged = event();
        return switch (evaluation.outcome()) {
            case Evaluation.Rewritten(SecurityEvent changed, var _)
            when changed instanceof SecurityEvent.HttpRequest rewritten
                    && rewritten.host().equals(judged.host()) -> {
                if (!rewritten.body().equals(judged.body())) {
                    replacement = Optional.of(rewritten.body());
                }
                yield passed(rewritten, evaluation);
            }
            case Evaluation.Allowed _ -> passed(judged, evaluation);
            case Evaluation.Rewritten _, Evaluation.Blocked _, Evaluation.Asked _ -> {
                log.judgedRequest(judged, evaluation);
                yield new Next.Blocks(evaluation, "request");
            }
        };
    }

    /// As HTTP. If it is a model call, it must pass as one as well.
    private Next passed(SecurityEvent.HttpRequest request, Evaluation evaluation) {
        event = request;
        log.judgedRequest(request, evaluation);
        if (tap.isPresent()) {
            byte[] content = replacement.isPresent() ? rewrittenBody() : body.content();
            boolean isTooLarge = request.body() instanceof Body.TooLarge;
            modelRequest = tap.get().request(Upgrade.envelope(around.envelopes(), request), content, isTooLarge);
        }
        if (modelRequest.isPresent()) {
            return new Next.Judges(DecisionSubject.MODEL_REQUEST, modelRequest.get());
        }
        tap = Optional.empty();
        return new Next.Locates();
    }

    /// Requires: a rule put it in place of the guest's.
    private byte[] rewrittenBody() {
        return replacement.orElseThrow() instanceof Body.Text text
                ? text.text().getBytes(StandardCharsets.UTF_8)
                : new byte[0];
    }

    Next modelDecided(Evaluation evaluation) {
        log.judgedModelRequest(modelRequest.orElseThrow(), evaluation, tap.orElseThrow());
        // A model request has no fields that a rewrite may touch, so one that says so is a block as well.
        return evaluation.outcome() instanceof Evaluation.Allowed
                ? new Next.Locates()
                : new Next.Blocks(evaluation, "model request");
    }

    // ---------------------------------------------------------------- where to

    void locate() {
        first = log.evaluation();
        selector = new UpstreamSelector(event(), judge::needsAddress, around.standIn());
    }

    Next located(Input.Located found) {
        return chosen(selector().located(found.targets()));
    }

    Next notLocated(Input.NotLocated not) {
        return chosen(selector().unresolved(not.reason(), not.isBehindProxy()));
    }

    Next notConnected(Input.NotConnected not) {
        return chosen(selector().after(not.refusal(), not.isUnreachable()));
    }

    private Next chosen(UpstreamSelector.Choice next) {
        choice = next;
        return switch (next) {
            case UpstreamSelector.Choice.Judge judged -> new Next.JudgesAgain(judged.located(), first());
            case UpstreamSelector.Choice.Connect connect -> leaves(connect.target(), connect.located());
            case UpstreamSelector.Choice.GiveUp giveUp -> new Next.Fails(giveUp.refusal());
        };
    }

    Next addressDecided(Evaluation evaluation) {
        if (!(choice instanceof UpstreamSelector.Choice.Judge judged)) {
            throw new IllegalStateException("an address was decided about that nobody chose");
        }
        log.judgedRequest(judged.located(), evaluation);
        // The rule that changed the request already; its changes are in it.
        boolean isSameRewrite = evaluation.outcome() instanceof Evaluation.Rewritten
                && evaluation.rule().equals(first().rule());
        if (evaluation.outcome() instanceof Evaluation.Allowed || isSameRewrite) {
            return leaves(judged.target(), judged.located());
        }
        // A rewrite for this address alone would come after the request was put together: nothing leaves.
        event = judged.located();
        return new Next.Blocks(evaluation, "address");
    }

    /// Every rule let it pass to that very place: the broker has the last word.
    private Next leaves(UpstreamTarget target, SecurityEvent.HttpRequest located) {
        Optional<byte[]> whole = replacement.isPresent() ? Optional.of(rewrittenBody()) : body.whole();
        return secrets.decide(located, whole).map(this::blocks).orElseGet(() -> spends(target, located));
    }

    // ---------------------------------------------------------------- what it may cost

    private Next spends(UpstreamTarget to, SecurityEvent.HttpRequest located) {
        target = to;
        if (!spending.mustAsk(located, modelRequest.isPresent() ? tap : Optional.empty(), modelRequest)) {
            return new Next.Connects(to);
        }
        event = located;
        return spending.obstacle().map(this::tooCostly).orElseGet(() -> new Next.Reserves(false));
    }

    /// @param isAwaited whether the exchange still waits for it; what comes too late is given back
    Next reserved(SpendingAnswer answer, boolean isAwaited) {
        return switch (answer) {
            case SpendingAnswer.Granted(SpendingHold hold)
            when !isAwaited -> {
                hold.release();
                yield Next.WAIT;
            }
            case SpendingAnswer.Refused _ when !isAwaited -> Next.WAIT;
            case SpendingAnswer.Granted(SpendingHold hold) -> {
                spending.granted(hold);
                yield connects();
            }
            case SpendingAnswer.Refused refused -> tooCostly(refused);
        };
    }

    private Next tooCostly(SpendingAnswer.Refused refused) {
        Evaluation evaluation = spending.refused(refused);
        return evaluation.outcome() instanceof Evaluation.Asked
                ? new Next.Asks(DecisionSubject.SPENDING, event(), evaluation)
                : blocks(evaluation);
    }

    /// What a person said of its cost.
    Next spendingDecided(Evaluation evaluation) {
        if (!(evaluation.outcome() instanceof Evaluation.Allowed)) {
            return blocks(evaluation);
        }
        log.judgedRequest(event(), evaluation);
        return new Next.Reserves(true);
    }

    private Next connects() {
        return new Next.Connects(Objects.requireNonNull(target, "a place was chosen"));
    }

    CallSpending spending() {
        return spending;
    }

    /// Our own answer, in the words that the guest's client knows.
    ErrorResponse answer(Refusal refusal, String decision) {
        return spending.answer()
                .map(error -> ErrorResponse.of(error, event()))
                .orElseGet(() -> ErrorResponse.of(refusal, decision, event()));
    }

    private Next blocks(Evaluation evaluation) {
        log.judgedRequest(event(), evaluation);
        return new Next.Blocks(evaluation, "request");
    }

    // ---------------------------------------------------------------- to the upstream

    /// There is a connection to the place that was chosen.
    OutgoingRequest outgoing() {
        SecurityEvent.HttpRequest located = switch (Objects.requireNonNull(choice, "a place was chosen")) {
            case UpstreamSelector.Choice.Judge judged -> judged.located();
            case UpstreamSelector.Choice.Connect connect -> connect.located();
            case UpstreamSelector.Choice.GiveUp _ -> throw new IllegalStateException("connected after giving up");
        };
        event = located;
        spending.leaves();
        boolean keepsExtensions = !received().isUpgrade()
                || (!Upgrade.isExpectedToBeRead(around, located)
                        && secrets.messages(located).isEmpty());
        OptionalInt replaced =
                replacement.isPresent() ? OptionalInt.of(body.replace(replacement.get())) : OptionalInt.empty();
        Optional<byte[]> filled = secrets.filledBody();
        if (filled.isPresent()) {
            replaced = OptionalInt.of(body.replace(filled.get()));
        }
        log.used(secrets.uses());
        return new OutgoingRequest(
                located, secrets.filledHead(), !sentContinue, keepsExtensions, replaced, body.isEmpty());
    }

    /// What came of the body since the last time, unless a stand-in came with it.
    ///
    /// @param flushesEnd whether the end leaves at once
    Next sendBody(boolean flushesEnd) {
        Optional<Evaluation> leak = secrets.leakOnTheWay(event());
        if (leak.isPresent()) {
            return blocks(leak.get());
        }
        boolean hasSent = false;
        for (Chunk chunk = body.poll(); chunk != null; chunk = body.poll()) {
            hasSentContent |= chunk.size() > 0;
            hasSent = true;
            actions.sendBytes(chunk, body.leaving());
        }
        if (flushesEnd && hasSent && body.isComplete()) {
            actions.flushUpstream();
        }
        return Next.WAIT;
    }

    /// Whether the same request may be sent once more: RFC 9110 §9.2.2.
    boolean isRepeatable() {
        boolean isIdempotent = switch (event().method()) {
            case "GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE" -> true;
            default -> false;
        };
        return isIdempotent && !hasSentContent && body.isComplete() && body.hasNothingToSend();
    }

    // ---------------------------------------------------------------- what is known by now

    RequestBody body() {
        return body;
    }

    ModelAnswer expectedAnswer() {
        return new ModelAnswer(tap, modelRequest);
    }

    /// For the messages of the WebSocket that it opens.
    Optional<BrokeredMessages> messages() {
        return secrets.messages(event());
    }

    /// For the answer, if its host has a grant.
    Optional<ResponseScrub> scrub() {
        return secrets.response(event().host()).map(ResponseScrub::new);
    }

    boolean hasEvent() {
        return event != null;
    }

    SecurityEvent.HttpRequest event() {
        return Objects.requireNonNull(event, "the head was parsed first");
    }

    Input.RequestHead received() {
        return Objects.requireNonNull(head, "the head was parsed first");
    }

    private Evaluation first() {
        return Objects.requireNonNull(first, "the request was judged first");
    }

    private UpstreamSelector selector() {
        return Objects.requireNonNull(selector, "the upstream is looked for");
    }
}
