package dev.capsem.exchange.http;

import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.exchange.http.body.Chunk;

/// What an exchange does next, as one of its two sides says.
sealed interface Next {
    Next WAIT = new Waits();

    record Waits() implements Next {}

    /// The request can be judged once it has its place on record.
    record Admits() implements Next {}

    record Judges(DecisionSubject subject, SecurityEvent event) implements Next {}

    /// The request has its address now.
    ///
    /// @param first what was decided before
    record JudgesAgain(SecurityEvent.HttpRequest located, Evaluation first) implements Next {}

    record Locates() implements Next {}

    record Connects(UpstreamTarget target) implements Next {}

    /// Budgets count it.
    ///
    /// @param isApproved whether a person lets it pass beyond their limits
    record Reserves(boolean isApproved) implements Next {}

    /// No rule asks, but a person decides.
    record Asks(DecisionSubject subject, SecurityEvent event, Evaluation question) implements Next {}

    record Blocks(Evaluation evaluation, String what) implements Next {}

    record Fails(Refusal refusal) implements Next {}

    /// The end of the response came, and may follow what has left.
    record Ends(Chunk last) implements Next {}

    /// The guest must not take for whole what it has seen.
    record CutsShort() implements Next {}

    /// Both sides agreed to speak WebSocket.
    record Switches() implements Next {}
}
