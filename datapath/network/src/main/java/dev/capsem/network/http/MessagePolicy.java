package dev.capsem.network.http;

import dev.capsem.events.Admission;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.ResolvedEvent;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.exchange.http.ExchangeLog;
import dev.capsem.exchange.http.Upgrade;
import dev.capsem.exchange.websocket.MessageAction;
import dev.capsem.exchange.websocket.MessageAction.Treatment;
import dev.capsem.exchange.websocket.MessageExchange;
import dev.capsem.exchange.websocket.MessageExchange.Sender;
import dev.capsem.exchange.websocket.MessageInput;
import dev.capsem.network.http.body.HeldBytes;
import io.netty.channel.EventLoop;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Translates between the [MessageExchange] of one connection and its event loop, people, the record and the metrics.
@SuppressWarnings("FutureReturnValueIgnored")
final class MessagePolicy {
    private final Stage stage;
    private final ExchangeLog log;
    private final Upgrade upgrade;
    private final EventLoop loop;
    private final MessageExchange messages;
    private final Way sent;
    private final Way received;

    /// One direction.
    private static final class Way {
        private final Sender sender;
        private final AskedPerson question;
        /// Told what becomes of the message that arrived last.
        private Consumer<Treatment> treated = _ -> {};
        private Optional<Admission.Place> place = Optional.empty();

        Way(Sender sender, AskedPerson question) {
            this.sender = sender;
            this.question = question;
        }
    }

    MessagePolicy(Stage stage, ExchangeLog log, Upgrade upgrade, EventLoop loop) {
        this.stage = stage;
        this.log = log;
        this.upgrade = upgrade;
        this.loop = loop;
        this.messages = new MessageExchange(upgrade, stage.gate(), stage.envelopes());
        this.sent = new Way(Sender.GUEST, new AskedPerson(stage.desk(), loop));
        this.received = new Way(Sender.UPSTREAM, new AskedPerson(stage.desk(), loop));
    }

    boolean reads(boolean isFromGuest) {
        return isFromGuest ? upgrade.readsSent() : upgrade.readsReceived();
    }

    /// @param treated told on the loop, at once unless a person is asked or something must be on record first
    void judge(boolean isFromGuest, Body body, Consumer<Treatment> treated) {
        begin(isFromGuest, new MessageInput.Arrived(body), treated);
    }

    /// Frames that do not follow the protocol are not forwarded.
    void malformed(boolean isFromGuest, String reason, Consumer<Treatment> treated) {
        begin(isFromGuest, new MessageInput.Malformed(reason), treated);
    }

    /// There was no room for a message that a rule must read.
    void full(boolean isFromGuest, Consumer<Treatment> treated) {
        begin(isFromGuest, new MessageInput.NoRoom(budget(isFromGuest).fullBecause()), treated);
    }

    /// The connection is over: nobody needs an answer any more.
    void withdraw() {
        on(sent, new MessageInput.ConnectionEnded());
        on(received, new MessageInput.ConnectionEnded());
    }

    /// Where messages of one direction are counted.
    HeldBytes.Room room(boolean isFromGuest) {
        return budget(isFromGuest).room(loop);
    }

    private HeldBytes budget(boolean isFromGuest) {
        return isFromGuest ? stage.requestsHeld() : stage.responsesHeld();
    }

    private void begin(boolean isFromGuest, MessageInput input, Consumer<Treatment> treated) {
        Way way = isFromGuest ? sent : received;
        way.treated = treated;
        on(way, input);
    }

    private void on(Way way, MessageInput input) {
        messages.on(way.sender, input).forEach(action -> perform(way, action));
    }

    private void perform(Way way, MessageAction action) {
        switch (action) {
            case MessageAction.Count(Decision decision) -> stage.metrics().decided(decision.wireName());
            case MessageAction.AskPerson(SecurityEvent event, Evaluation question) ->
                way.question.ask(
                        event,
                        question,
                        answer -> on(
                                way,
                                answer.<MessageInput>map(MessageInput.Answered::new)
                                        .orElseGet(MessageInput.QuestionFailed::new)));
            case MessageAction.WithdrawQuestion _ -> way.question.withdraw();
            case MessageAction.Admit(EventType type) ->
                stage.recorder().admit(type).thenAcceptAsync(found -> on(way, admitted(way, found)), loop);
            case MessageAction.PutOnRecord(SecurityEvent event, Evaluation evaluation) ->
                stage.recorder()
                        .record(
                                way.place.orElseThrow(),
                                () -> List.of(RecordedExchange.of(ResolvedEvent.of(event, evaluation))))
                        .thenRunAsync(() -> on(way, new MessageInput.Recorded()), loop);
            case MessageAction.PutInLog(SecurityEvent event, Evaluation evaluation) ->
                log.judgedResponse(event, evaluation);
            case Treatment treatment -> way.treated.accept(treatment);
        }
    }

    private static MessageInput admitted(Way way, Admission found) {
        return switch (found) {
            case Admission.Admitted(Admission.Place place) -> {
                way.place = Optional.of(place);
                yield new MessageInput.Admitted();
            }
            case Admission.Refused refused -> new MessageInput.NotAdmitted(refused);
        };
    }
}
