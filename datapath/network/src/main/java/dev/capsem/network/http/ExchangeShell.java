package dev.capsem.network.http;

import dev.capsem.events.Admission;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.budget.SpendingDesk;
import dev.capsem.events.row.Outcome;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.Envelope;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.Correlation;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.exchange.http.Actions;
import dev.capsem.exchange.http.Ending;
import dev.capsem.exchange.http.ErrorResponse;
import dev.capsem.exchange.http.ExchangeLog;
import dev.capsem.exchange.http.GuestFacts;
import dev.capsem.exchange.http.HttpExchange;
import dev.capsem.exchange.http.Input;
import dev.capsem.exchange.http.OutgoingRequest;
import dev.capsem.exchange.http.OutgoingResponse;
import dev.capsem.exchange.http.Refusal;
import dev.capsem.exchange.http.Upgrade;
import dev.capsem.exchange.http.UpstreamTarget;
import dev.capsem.exchange.http.Wait;
import dev.capsem.exchange.http.body.Chunk;
import dev.capsem.exchange.http.body.Reservation;
import dev.capsem.network.http.body.BodyChunk;
import dev.capsem.network.http.body.HeldBytes;
import dev.capsem.network.http.body.HeldReservation;
import dev.capsem.network.http.codec.BadRequest;
import dev.capsem.network.http.head.ConnectionFacts;
import dev.capsem.network.http.head.HeadRewrite;
import dev.capsem.network.http.head.Refused;
import dev.capsem.network.http.head.RequestHead;
import dev.capsem.network.http.limit.Timeouts;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries one [HttpExchange]: tells it what happens on both legs, and does what it says. Decides nothing. Lives on one
/// event loop; whoever answers late (a person, a resolver, an upstream) answers there.
@SuppressWarnings("FutureReturnValueIgnored")
final class ExchangeShell implements Actions {
    private static final Logger LOG = LoggerFactory.getLogger(ExchangeShell.class);

    private static final Input GUEST_READ = new Input.GuestRead();

    private final Stage stage;
    private final GuestLeg guest;
    private final HttpRequest received;
    private final ConnectionFacts facts;
    private final EventLoop loop;
    private final ExchangeTimer timer;
    private final Envelope envelope;
    private final AskedPerson question;
    private final UpstreamLeg upstream;
    private final HttpExchange exchange;
    private final long startedNanos = System.nanoTime();

    private @Nullable RequestHead head;
    private CompletableFuture<Admission> admission = new CompletableFuture<>();
    private Optional<Admission.Place> place = Optional.empty();
    private CompletableFuture<Void> recorded = CompletableFuture.completedFuture(null);

    ExchangeShell(Stage stage, GuestLeg guest, ConnectionFacts facts, HttpRequest received) {
        this.stage = stage;
        this.guest = guest;
        this.received = received;
        this.facts = facts;
        this.loop = guest.channel().eventLoop();
        this.timer = new ExchangeTimer(loop);
        this.question = new AskedPerson(stage.desk(), loop);
        this.upstream = new UpstreamLeg(stage, loop, guest.isHttp2(), timer, this::tell);
        this.envelope = stage.envelopes()
                .inline(Correlation.NONE)
                .withCaller(facts.caller().claim());
        this.exchange = new HttpExchange(
                stage.exchanges(),
                new GuestFacts(guest.isHttp2(), facts.isTls(), facts.caller(), facts.connectionType()),
                envelope.at(),
                this);
    }

    private void tell(Input input) {
        exchange.on(input);
    }

    // ---------------------------------------------------------------- what the guest does

    void start() {
        switch (RequestHead.parse(received, facts, stage.ledger())) {
            case RequestHead.Bad(Refusal refusal) -> refuse(refusal);
            case RequestHead.Good(RequestHead parsed) -> begin(parsed);
        }
    }

    private void begin(RequestHead parsed) {
        boolean hasBody = HttpUtil.isTransferEncodingChunked(received) || HttpUtil.getContentLength(received, 0L) > 0;
        SecurityEvent.HttpRequest event;
        try {
            event = parsed.event(envelope, facts, hasBody);
        } catch (IllegalArgumentException unfit) {
            refuse(Refusal.malformed(400, "the request cannot be judged: " + unfit.getMessage()));
            return;
        }
        head = parsed;
        exchange.on(new Input.RequestHead(
                event,
                hasBody,
                guest.isHttp2() ? received instanceof FullHttpRequest : !hasBody,
                HttpUtil.getContentLength(received, -1L),
                HttpUtil.is100ContinueExpected(received),
                parsed.isUpgrade(),
                isHttp10(),
                keepsAlive()));
    }

    /// In place of [#start]: not even the head could be read.
    void requestUnreadable(BadRequest bad) {
        refuse(Refusal.malformed(bad.status(), bad.reason()));
    }

    private void refuse(Refusal refusal) {
        exchange.on(new Input.RequestRefused(Refused.asEvent(envelope, received, facts), refusal, keepsAlive()));
    }

    /// The content is ours to release.
    void requestContent(HttpContent content) {
        exchange.on(new Input.RequestBytes(BodyChunk.ofRequest(content)));
    }

    void requestBroken(BadRequest bad) {
        exchange.on(new Input.RequestBroken(bad.status(), bad.reason()));
    }

    void guestReadComplete() {
        exchange.on(GUEST_READ);
    }

    void guestWritable() {
        exchange.on(new Input.GuestWritable());
    }

    void guestInputOver() {
        exchange.on(new Input.GuestInputOver());
    }

    void guestGone() {
        exchange.on(new Input.GuestGone());
    }

    boolean isRequestComplete() {
        return exchange.isRequestComplete();
    }

    /// Whether the guest has seen a part of its answer.
    boolean isAnswered() {
        return exchange.isAnswered();
    }

    // ---------------------------------------------------------------- the record

    @Override
    public void admit() {
        admission = stage.recorder().admit(EventType.HTTP_REQUEST);
        if (admission.isDone()) {
            admitted(admission.join());
        } else {
            admission.thenAcceptAsync(this::admitted, loop);
        }
    }

    private void admitted(Admission found) {
        switch (found) {
            case Admission.Admitted(Admission.Place held) -> {
                place = Optional.of(held);
                exchange.on(new Input.Admitted());
            }
            case Admission.Refused refused -> {
                stage.metrics().requestEnded(protocol(), Outcome.DENIED.wireName(), 0, 0);
                exchange.on(new Input.NotAdmitted(refused));
            }
        }
    }

    @Override
    public void release() {
        admission.cancel(false);
        place.ifPresent(Admission.Place::close);
    }

    @Override
    public void record(ExchangeLog log, Ending ending) {
        stage.metrics()
                .requestEnded(protocol(), ending.outcome().wireName(), ending.bytesSent(), ending.bytesReceived());
        stage.metrics().parsed(ending.parsedEvents());
        recorded = store(log, ending);
    }

    private CompletableFuture<Void> store(ExchangeLog log, Ending ending) {
        admission.cancel(false);
        Supplier<List<RecordedExchange>> rows =
                () -> log.rows(ending, Duration.ofNanos(System.nanoTime() - startedNanos));
        return place.map(held -> stage.recorder().record(held, rows))
                .orElseGet(() -> stage.recorder().note(rows));
    }

    @Override
    public void awaitRecord() {
        recorded.thenRunAsync(() -> exchange.on(new Input.Recorded()), loop);
    }

    private String protocol() {
        return guest.isHttp2() ? "h2" : "h1";
    }

    // ---------------------------------------------------------------- rules and people

    @Override
    public void decided(Evaluation evaluation) {
        stage.metrics().decided(evaluation.decision().wireName());
    }

    @Override
    public void askPerson(SecurityEvent event, Evaluation asked) {
        question.ask(
                event,
                asked,
                answer -> exchange.on(answer.<Input>map(Input.Answered::new).orElseGet(Input.NotAnswered::new)));
    }

    @Override
    public void answerInstead(Answer answer) {
        question.answerInstead(answer);
    }

    @Override
    public void withdraw() {
        question.withdraw();
    }

    @Override
    public void reserve(SpendingDesk.Spending spending, boolean isApproved) {
        stage.exchanges()
                .spending()
                .reserve(spending, isApproved)
                .thenAcceptAsync(answer -> exchange.on(new Input.Reserved(answer)), loop);
    }

    // ---------------------------------------------------------------- the upstream

    @Override
    public void locate(SecurityEvent.HttpRequest request, boolean mayReuse) {
        upstream.locate(request, mayReuse);
    }

    @Override
    public void connect(UpstreamTarget target, boolean mayReuse) {
        upstream.connect(target, mayReuse);
    }

    @Override
    public void sendRequest(OutgoingRequest request) {
        upstream.send(HeadRewrite.request(received, Objects.requireNonNull(head, "it was parsed first"), request));
    }

    @Override
    public void sendBytes(Chunk chunk, Reservation held) {
        leaves(upstream.channel().write(BodyChunk.content(chunk)), held);
    }

    @Override
    public void flushUpstream() {
        upstream.flush();
    }

    @Override
    public void readUpstream() {
        upstream.read();
    }

    @Override
    public boolean isUpstreamWritable() {
        return upstream.isWritable();
    }

    @Override
    public void releaseUpstream() {
        upstream.release();
    }

    @Override
    public void closeUpstream() {
        upstream.close();
    }

    // ---------------------------------------------------------------- the guest

    @Override
    public void readGuest() {
        guest.read();
    }

    @Override
    public boolean isGuestWritable() {
        return guest.channel().isWritable();
    }

    @Override
    public void sendContinue() {
        guest.channel().writeAndFlush(OwnResponse.goOn());
    }

    @Override
    public void forwardInterim() {
        HttpResponse copy = HeadRewrite.response(upstream.head(), Optional.empty(), true, guest.isHttp2(), false);
        guest.channel().writeAndFlush(HeadRewrite.whole(copy, LastHttpContent.EMPTY_LAST_CONTENT));
    }

    @Override
    public void forwardHead(OutgoingResponse response) {
        guest.channel().write(outgoing(response));
    }

    private HttpResponse outgoing(OutgoingResponse response) {
        HttpResponse outgoing = HeadRewrite.response(
                upstream.head(), response.changed(), response.hasNoBody(), guest.isHttp2(), isHttp10());
        if (!response.keepsReason()) {
            outgoing.setStatus(HttpResponseStatus.valueOf(response.status()));
        }
        response.replaced().ifPresent(length -> HeadRewrite.replaceBody(outgoing.headers(), length));
        if (!guest.isHttp2()) {
            HttpUtil.setKeepAlive(outgoing.headers(), received.protocolVersion(), response.keepsGuest());
        }
        return outgoing;
    }

    @Override
    public void forward(Chunk chunk, Reservation held) {
        leaves(guest.channel().write(BodyChunk.content(chunk)), held);
    }

    @Override
    public void forwardEnd(Chunk last, Reservation held) {
        leaves(guest.channel().writeAndFlush(BodyChunk.content(last)), held);
    }

    @Override
    public void forwardWhole(OutgoingResponse response, Chunk last, Reservation held) {
        LastHttpContent end = (LastHttpContent) BodyChunk.content(last);
        leaves(guest.channel().writeAndFlush(HeadRewrite.whole(outgoing(response), end)), held);
    }

    private static void leaves(ChannelFuture written, Reservation held) {
        if (!held.equals(Reservation.NONE)) {
            written.addListener(_ -> held.close());
        }
    }

    @Override
    public void flushGuest() {
        guest.channel().flush();
    }

    @Override
    public void respond(ErrorResponse response, boolean keepsGuest) {
        FullHttpResponse own = OwnResponse.of(response);
        if (!guest.isHttp2()) {
            HttpUtil.setKeepAlive(own.headers(), received.protocolVersion(), keepsGuest);
        }
        guest.channel().writeAndFlush(own);
    }

    @Override
    public void done(boolean keepsGuest) {
        guest.answered(keepsGuest);
    }

    @Override
    public void abort() {
        guest.abort();
    }

    @Override
    public void tunnel(ExchangeLog log, Upgrade upgrade, List<Chunk> early) {
        FullHttpResponse accepted = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.SWITCHING_PROTOCOLS, Unpooled.EMPTY_BUFFER);
        accepted.headers()
                .set(HeadRewrite.accepted(
                        upstream.head().headers(), upgrade.response().headers()));
        guest.channel().writeAndFlush(accepted);
        Optional<MessagePolicy> policy =
                upgrade.isRead() ? Optional.of(new MessagePolicy(stage, log, upgrade, loop)) : Optional.empty();
        Tunnel tunnel = new Tunnel(
                guest.channel(),
                upstream.handOver(),
                policy,
                (outcome, sent, back, frames) -> store(log, Ending.tunnelled(outcome, sent, back, frames)));
        guest.becomeTunnel(tunnel);
        Deque<HttpContent> said = new ArrayDeque<>();
        early.forEach(chunk -> said.add(BodyChunk.content(chunk)));
        tunnel.start(said);
    }

    // ---------------------------------------------------------------- limits, time, bugs

    @Override
    public Reservation room(boolean isForRequest) {
        HeldBytes budget = isForRequest ? stage.requestsHeld() : stage.responsesHeld();
        return new HeldReservation(
                budget.room(loop),
                hasRoom -> exchange.on(
                        hasRoom
                                ? new Input.RoomGiven(isForRequest)
                                : new Input.NoRoom(isForRequest, budget.fullBecause())));
    }

    @Override
    public void startTimer(Wait wait) {
        Timeouts times = stage.timeouts();
        Runnable fire = () -> exchange.on(new Input.TimerFired(wait));
        switch (wait) {
            case REQUEST_BODY -> timer.within(times.bodyIdle(), fire);
            case CONNECTION -> timer.within(times.connect().multipliedBy(3), fire);
            case RESPONSE_HEAD -> timer.within(times.responseHead(), fire);
            case PROGRESS -> timer.progressWithin(times.bodyIdle(), fire);
            case HELD_STREAM -> timer.beside(times.heldStream(), fire);
        }
    }

    @Override
    public void stopTimer() {
        timer.stop();
    }

    @Override
    public void failed(RuntimeException bug) {
        LOG.error("an exchange failed", bug);
    }

    private boolean keepsAlive() {
        return guest.isHttp2() || HttpUtil.isKeepAlive(received);
    }

    private boolean isHttp10() {
        return received.protocolVersion().equals(HttpVersion.HTTP_1_0);
    }
}
