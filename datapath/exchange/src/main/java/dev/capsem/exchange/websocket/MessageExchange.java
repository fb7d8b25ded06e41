package dev.capsem.exchange.websocket;

import dev.capsem.events.row.Finding;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.BlockCause;
import dev.capsem.events.security.Body;
import dev.capsem.events.security.EnvelopeSource;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.security.SecurityGate;
import dev.capsem.exchange.Judge;
import dev.capsem.exchange.http.Refusal;
import dev.capsem.exchange.http.Upgrade;
import dev.capsem.exchange.websocket.MessageAction.Treatment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Judges the messages of one WebSocket. A message is judged as a part of the exchange that opened the connection: from
/// the guest as that request with the message as its body, from the upstream as that response.
public final class MessageExchange {
    public enum Sender {
        GUEST,
        UPSTREAM
    }

    private final Upgrade upgrade;
    private final EnvelopeSource envelopes;
    private final Direction sent;
    private final Direction received;
    /// Detections that are on this connection's record by now.
    private final Set<String> found = new HashSet<>();

    private sealed interface State {
        /// The next message may come.
        record Idle() implements State {}

        record Asking(SecurityEvent event, Body body) implements State {}

        /// @param then none if the connection ended meanwhile: the place that is given is used all the same
        record Admitting(SecurityEvent event, Evaluation evaluation, Optional<Treatment> then) implements State {}

        record Recording(Treatment then) implements State {}

        record Over() implements State {}
    }

    private static final class Direction {
        private final Sender sender;
        private final Judge judge;
        /// Of the upgrade's head in this direction.
        private final Evaluation first;

        private State state = new State.Idle();

        Direction(Sender sender, Judge judge, Evaluation first) {
            this.sender = sender;
            this.judge = judge;
            this.first = first;
        }
    }

    public MessageExchange(Upgrade upgrade, SecurityGate gate, EnvelopeSource envelopes) {
        this.upgrade = upgrade;
        this.envelopes = envelopes;
        this.sent = new Direction(Sender.GUEST, judge(gate), upgrade.requestEvaluation());
        this.received = new Direction(Sender.UPSTREAM, judge(gate), upgrade.responseEvaluation());
        upgrade.requestEvaluation().findings().forEach(this::isNew);
        upgrade.responseEvaluation().findings().forEach(this::isNew);
    }

    /// A person who approved the upgrade has seen where it leads.
    private Judge judge(SecurityGate gate) {
        Judge judge = new Judge(gate);
        upgrade.request().address().ifPresent(judge::seen);
        return judge;
    }

    /// What is to be done now, in order.
    public List<MessageAction> on(Sender sender, MessageInput input) {
        Direction direction = switch (sender) {
            case GUEST -> sent;
            case UPSTREAM -> received;
        };
        if (direction.state instanceof State.Over) {
            return List.of();
        }
        return switch (input) {
            case MessageInput.Arrived(Body body) -> arrived(direction, body);
            case MessageInput.Malformed(String reason) -> malformed(direction, reason);
            case MessageInput.NoRoom(String reason) ->
                refused(direction, event(direction, Body.NONE), Evaluation.blocked(BlockCause.INSPECTION_FULL, reason));
            case MessageInput.Answered(Answer answer) -> settled(direction, direction.judge.answered(answer));
            case MessageInput.QuestionFailed _ ->
                settled(
                        direction,
                        direction.judge.refused(Answer.Cause.NO_APPROVER, "the question could not be asked"));
            case MessageInput.Admitted _ -> admitted(direction);
            case MessageInput.NotAdmitted(var refused) ->
                hasLeft(direction)
                        ? ended(direction)
                        : ended(direction, new MessageAction.Refuse(Refusal.unrecorded(refused)));
            case MessageInput.Recorded _ -> recorded(direction);
            case MessageInput.ConnectionEnded _ -> connectionEnded(direction);
        };
    }

    private static List<MessageAction> connectionEnded(Direction direction) {
        if (direction.state instanceof State.Admitting(SecurityEvent event, Evaluation evaluation, var _)) {
            direction.state = new State.Admitting(event, evaluation, Optional.empty());
            return List.of();
        }
        return direction.state instanceof State.Asking
                ? ended(direction, new MessageAction.WithdrawQuestion())
                : ended(direction);
    }

    private static boolean hasLeft(Direction direction) {
        return direction.state instanceof State.Admitting admitting
                && admitting.then().isEmpty();
    }

    private List<MessageAction> arrived(Direction direction, Body body) {
        if (!(direction.state instanceof State.Idle)) {
            throw new IllegalStateException("a message arrived before the one ahead of it was treated");
        }
        SecurityEvent event = event(direction, body);
        // A decision about another body says nothing about this one.
        boolean isSameEvent = upgrade.request().body() instanceof Body.Absent;
        Judge.Ruling ruling =
                isSameEvent ? direction.judge.judgeAgain(event, direction.first) : direction.judge.judge(event);
        return switch (ruling) {
            case Judge.Ruling.Settled(Evaluation evaluation) ->
                counted(evaluation, decided(direction, event, body, evaluation));
            case Judge.Ruling.Asks(SecurityEvent shown, Evaluation question) -> {
                direction.state = new State.Asking(event, body);
                yield counted(question, List.of(new MessageAction.AskPerson(shown, question)));
            }
        };
    }

    private static List<MessageAction> counted(Evaluation evaluation, List<MessageAction> actions) {
        List<MessageAction> all = new ArrayList<>();
        all.add(new MessageAction.Count(evaluation.decision()));
        all.addAll(actions);
        return all;
    }

    private List<MessageAction> settled(Direction direction, Evaluation evaluation) {
        if (!(direction.state instanceof State.Asking(SecurityEvent event, Body body))) {
            throw new IllegalStateException("nobody was asked");
        }
        return decided(direction, event, body, evaluation);
    }

    private List<MessageAction> decided(Direction direction, SecurityEvent event, Body body, Evaluation evaluation) {
        return switch (evaluation.outcome()) {
            case Evaluation.Allowed _ -> passed(direction, event, evaluation);
            case Evaluation.Rewritten(SecurityEvent changed, var _) ->
                rewritten(direction, event, body, body(changed), evaluation);
            case Evaluation.Blocked _, Evaluation.Asked _ -> refused(direction, event, evaluation);
        };
    }

    private List<MessageAction> passed(Direction direction, SecurityEvent event, Evaluation evaluation) {
        List<Finding> fresh = evaluation.findings().stream().filter(this::isNew).toList();
        if (fresh.isEmpty()) {
            direction.state = new State.Idle();
            return List.of(new MessageAction.Pass());
        }
        Evaluation allowed = evaluation
                .with(new Evaluation.Allowed(), evaluation.rule(), evaluation.reason(), evaluation.steps())
                .withFindings(fresh);
        return admit(direction, event, allowed, new MessageAction.Pass());
    }

    private List<MessageAction> rewritten(
            Direction direction, SecurityEvent event, Body before, Body after, Evaluation evaluation) {
        if (after.equals(before)) {
            // It speaks of the upgrade's head, which is long gone.
            return passed(direction, event, evaluation);
        }
        return before instanceof Body.Text text && !text.isBinary() && after instanceof Body.Text changed
                ? admit(direction, event, evaluation, new MessageAction.Replace(changed.text()))
                : refused(
                        direction,
                        event,
                        evaluation.with(
                                new Evaluation.Blocked(BlockCause.REWRITE_FAILED),
                                evaluation.rule(),
                                evaluation.reason(),
                                evaluation.steps()));
    }

    private List<MessageAction> malformed(Direction direction, String reason) {
        Refusal refusal = Refusal.of(400, Refusal.MALFORMED, reason, "send frames that follow RFC 6455");
        Evaluation evaluation =
                Evaluation.blocked(BlockCause.MALFORMED_TRAFFIC, refusal.code() + ": " + refusal.reason());
        return ended(
                direction,
                new MessageAction.PutInLog(event(direction, Body.NONE), evaluation),
                new MessageAction.Refuse(refusal));
    }

    private static List<MessageAction> refused(Direction direction, SecurityEvent event, Evaluation evaluation) {
        return ended(
                direction,
                new MessageAction.PutInLog(event, evaluation),
                new MessageAction.Refuse(Refusal.blocked(evaluation, "message")));
    }

    private static List<MessageAction> ended(Direction direction, MessageAction... last) {
        direction.state = new State.Over();
        return List.of(last);
    }

    /// The message waits until the decision about it is on record.
    private static List<MessageAction> admit(
            Direction direction, SecurityEvent event, Evaluation evaluation, Treatment then) {
        direction.state = new State.Admitting(event, evaluation, Optional.of(then));
        return List.of(new MessageAction.Admit(event.type()));
    }

    private static List<MessageAction> admitted(Direction direction) {
        if (!(direction.state instanceof State.Admitting(SecurityEvent event, Evaluation evaluation, var then))) {
            throw new IllegalStateException("no place was asked for");
        }
        direction.state = then.<State>map(State.Recording::new).orElseGet(State.Over::new);
        return List.of(new MessageAction.PutOnRecord(event, evaluation));
    }

    private static List<MessageAction> recorded(Direction direction) {
        if (!(direction.state instanceof State.Recording(Treatment then))) {
            throw new IllegalStateException("nothing was put on record");
        }
        direction.state = new State.Idle();
        return List.of(then);
    }

    private boolean isNew(Finding finding) {
        return found.add(finding.ruleId());
    }

    private SecurityEvent event(Direction direction, Body body) {
        return upgrade.message(envelopes, direction.sender == Sender.GUEST, body);
    }

    private static Body body(SecurityEvent event) {
        return switch (event) {
            case SecurityEvent.HttpRequest request -> request.body();
            case SecurityEvent.HttpResponse response -> response.body();
            case SecurityEvent other -> throw new IllegalStateException("a message became a " + other.type());
        };
    }
}
