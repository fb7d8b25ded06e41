package dev.capsem.events.security;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/// The port through which a stage holds an exchange until a person has answered.
public interface ApprovalDesk {
    /// Nobody is ever there: every question is refused at once.
    ApprovalDesk NOBODY = (event, asked) -> CompletableFuture.completedFuture(
            new Answer.Refused(Answer.Cause.NO_APPROVER, "nobody is there to approve it", "capsem"));

    /// Completes by its deadline, always, and never exceptionally. Returns at once; safe on an event loop, but what
    /// depends on the future must hop to its own thread. Cancelling the future withdraws the question.
    ///
    /// @param asked an evaluation of `event` whose outcome is [Evaluation.Asked]
    CompletableFuture<Answer> ask(SecurityEvent event, Evaluation asked);

    /// Questions that wait now, and those that got no answer since then: one printable line each, bounded.
    default List<String> unanswered(Instant since) {
        return List.of();
    }
}
