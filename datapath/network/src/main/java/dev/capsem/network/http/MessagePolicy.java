package dev.capsem.network.http;

import dev.capsem.broker.Brokered;
import dev.capsem.broker.BrokeredMessages;
import dev.capsem.events.Admission;
import dev.capsem.events.RecordedExchange;
import dev.capsem.events.ResolvedEvent;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.exchange.http.ExchangeLog;
import dev.capsem.exchange.http.Refusal;
import dev.capsem.exchange.http.Upgrade;
import dev.capsem.exchange.leak.PlaceholderLeak;
import dev.capsem.exchange.websocket.MessageAction;
import dev.capsem.exchange.websocket.MessageAction.Treatment;
import dev.capsem.exchange.websocket.MessageExchange;
import dev.capsem.exchange.websocket.MessageExchange.Sender;
import dev.capsem.exchange.websocket.MessageInput;
import dev.capsem.network.http.body.HeldBytes;
import dev.capsem.network.http.websocket.WebSocketMessage;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Translates between the [MessageExchange] of one connection and its event loop, people, the record and the metrics.
@SuppressWarnings("FutureReturnValueIgnored")
final class MessagePolicy {
    /// What becomes of a message that may leave, once the broker had its word.
    sealed interface Leaving {
        record Goes(WebSocketMessage message) implements Leaving {}

        /// It is in the log by now.
        record Stays(Refusal refusal) implements Leaving {}
    }

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

    /// Whether messages of that direction are held until they are whole.
    boolean reads(boolean isFromGuest) {
        return judges(isFromGuest) || holdsForSecrets(isFromGuest);
    }

    /// Whether rules judge them.
    boolean judges(boolean isFromGuest) {
        return isFromGuest ? upgrade.readsSent() : upgrade.readsReceived();
    }

    // ---------------------------------------------------------------- secrets

    /// A message that rules hold must be looked through as well, and cannot be once it goes on in parts.
    boolean holdsForSecrets(boolean isFromGuest) {
        return upgrade.secrets()
                .filter(secrets ->
                        judges(isFromGuest) || (isFromGuest ? secrets.fillsSent() : secrets.cleansReceived()))
                .isPresent();
    }

    /// A message of the upstream's without values. A control frame has a fixed size: it loses what it says.
    WebSocketMessage cleaned(WebSocketMessage message) {
        if (!upgrade.secrets().map(BrokeredMessages::cleansReceived).orElse(false)) {
            return message;
        }
        byte[] clean = upgrade.secrets().get().received(message.payload());
        if (Arrays.equals(clean, message.payload())) {
            return message;
        }
        return message.isControl() ? message.withText("") : message.withPayload(clean);
    }

    /// A message of the guest's, as the upstream gets it.
    Leaving leaving(WebSocketMessage message) {
        if (upgrade.secrets().isEmpty()) {
            return new Leaving.Goes(message);
        }
        return switch (upgrade.secrets().get().sent(message.payload(), message.isText())) {
            case Brokered.Untouched _ -> new Leaving.Goes(message);
            case Brokered.Filled filled -> {
                log.used(filled.uses());
                yield new Leaving.Goes(message.withPayload(filled.body().orElseThrow()));
            }
            case Brokered.Leaked leak -> new Leaving.Stays(refused(leak));
            case Brokered.Unavailable missing ->
                new Leaving.Stays(refused(Evaluation.blocked(
                        BlockCause.SECRET_UNAVAILABLE,
                        "secret_unavailable: the secret of grant " + missing.grant() + " is needed here: "
                                + missing.reason())));
        };
    }

    /// A part of a message of the guest's that is not held.
    Optional<Refusal> leaked(byte[] part) {
        return upgrade.secrets()
                .flatMap(secrets -> secrets.passes(ByteBuffer.wrap(part)))
                .map(this::refused);
    }

    Refusal tooLarge(boolean isFromGuest) {
        Evaluation large = Evaluation.blocked(
                BlockCause.BODY_TOO_LARGE, "the message is too large to be looked through for secrets");
        log.judgedResponse(event(isFromGuest, Body.NONE), large);
        return Refusal.blocked(large, "message");
    }

    private Refusal refused(Brokered.Leaked leak) {
        SecurityEvent.HttpRequest request = upgrade.request();
        return refused(
                PlaceholderLeak.blocked(request.envelope().id(), leak, "a WebSocket message to " + request.host()));
    }

    private Refusal refused(Evaluation evaluation) {
        log.judgedResponse(event(true, Body.NONE), evaluation);
        return Refusal.blocked(evaluation, "message");
    }

    private SecurityEvent event(boolean isFromGuest, Body body) {
        return upgrade.message(stage.envelopes(), isFromGuest, body);
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
