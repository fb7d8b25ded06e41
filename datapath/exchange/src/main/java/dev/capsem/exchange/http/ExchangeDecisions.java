package dev.capsem.exchange.http;

import dev.capsem.events.security.Answer;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.exchange.Judge;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The decisions of one exchange, one at a time: by rules at once, or by a person later.
final class ExchangeDecisions {
    /// @param evaluation never [Evaluation.Asked]
    record Decided(DecisionSubject subject, Evaluation evaluation) {}

    private final Judge judge;
    private final Actions actions;

    /// The subject of the open question, if there is one.
    private @Nullable DecisionSubject asked;

    ExchangeDecisions(Judge judge, Actions actions) {
        this.judge = judge;
        this.actions = actions;
    }

    boolean isAsking() {
        return asked != null;
    }

    /// @return none if a person is asked
    Optional<Decided> judge(DecisionSubject subject, SecurityEvent event) {
        return settled(subject, judge.judge(event));
    }

    /// @return none if a person is asked
    Optional<Decided> judgeAgain(SecurityEvent.HttpRequest located, Evaluation first) {
        return settled(DecisionSubject.ADDRESS, judge.judgeAgain(located, first));
    }

    /// What no rule asks about.
    ///
    /// @return none: a person is asked
    Optional<Decided> ask(DecisionSubject subject, SecurityEvent event, Evaluation question) {
        return settled(subject, judge.ask(event, question));
    }

    private Optional<Decided> settled(DecisionSubject subject, Judge.Ruling ruling) {
        return switch (ruling) {
            case Judge.Ruling.Settled settled -> {
                actions.decided(settled.evaluation());
                yield Optional.of(new Decided(subject, settled.evaluation()));
            }
            case Judge.Ruling.Asks asks -> {
                actions.decided(asks.question());
                asked = subject;
                if (subject.isWhileConnecting()) {
                    // A person may take longer than a connection.
                    actions.stopTimer();
                }
                actions.askPerson(asks.event(), asks.question());
                yield Optional.empty();
            }
        };
    }

    /// @return none if nobody waits for it
    Optional<Decided> answered(Answer answer) {
        DecisionSubject subject = asked;
        return subject == null ? Optional.empty() : Optional.of(goOn(subject, judge.answered(answer)));
    }

    /// The question could not be asked.
    Optional<Decided> notAnswered() {
        DecisionSubject subject = asked;
        return subject == null
                ? Optional.empty()
                : Optional.of(
                        goOn(subject, judge.refused(Answer.Cause.NO_APPROVER, "the question could not be asked")));
    }

    private Decided goOn(DecisionSubject subject, Evaluation evaluation) {
        asked = null;
        if (subject.isWhileConnecting()) {
            actions.startTimer(Wait.CONNECTION);
        }
        return new Decided(subject, evaluation);
    }

    /// The guest says nothing more. It may listen still, so that it is told why nobody was asked any longer.
    void refuse() {
        if (asked != null) {
            actions.answerInstead(new Answer.Refused(
                    Answer.Cause.WITHDRAWN,
                    "the client ended its side of the connection before the answer; keep it open",
                    "capsem"));
        }
    }

    /// Nobody waits for a decision any more.
    void withdraw() {
        if (asked != null) {
            asked = null;
            actions.withdraw();
        }
    }
}
