package dev.capsem.exchange.websocket;

import dev.capsem.events.security.Decision;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.events.vocabulary.EventType;
import dev.capsem.exchange.http.Refusal;

/// What the shell does for a direction.
public sealed interface MessageAction {
    /// Counts a decision of the rules.
    record Count(Decision decision) implements MessageAction {}

    /// [MessageInput.Answered] or [MessageInput.QuestionFailed] follows, unless the question is withdrawn.
    record AskPerson(SecurityEvent event, Evaluation question) implements MessageAction {}

    record WithdrawQuestion() implements MessageAction {}

    /// [MessageInput.Admitted] or [MessageInput.NotAdmitted] follows.
    record Admit(EventType type) implements MessageAction {}

    /// At the place that was admitted; [MessageInput.Recorded] follows.
    record PutOnRecord(SecurityEvent event, Evaluation evaluation) implements MessageAction {}

    /// For the rows that the connection gets when it is over.
    record PutInLog(SecurityEvent event, Evaluation evaluation) implements MessageAction {}

    /// What becomes of a message; one follows for each that arrived.
    sealed interface Treatment extends MessageAction {}

    record Pass() implements Treatment {}

    record Replace(String text) implements Treatment {}

    /// The connection ends with it.
    record Refuse(Refusal refusal) implements Treatment {}
}
