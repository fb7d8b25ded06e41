package dev.capsem.exchange.websocket;

import dev.capsem.events.Admission;
import dev.capsem.events.security.Answer;
import dev.capsem.events.security.Body;

/// What happens to the messages of one direction. The next message arrives when the one before it was treated.
public sealed interface MessageInput {
    record Arrived(Body body) implements MessageInput {}

    /// The frames do not follow the protocol.
    record Malformed(String reason) implements MessageInput {}

    /// There was no room to hold a message that a rule must read.
    record NoRoom(String reason) implements MessageInput {}

    record Answered(Answer answer) implements MessageInput {}

    /// The question could not be asked.
    record QuestionFailed() implements MessageInput {}

    record Admitted() implements MessageInput {}

    record NotAdmitted(Admission.Refused refused) implements MessageInput {}

    record Recorded() implements MessageInput {}

    record ConnectionEnded() implements MessageInput {}
}
