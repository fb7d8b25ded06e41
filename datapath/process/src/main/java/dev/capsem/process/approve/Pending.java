package dev.capsem.process.approve;

import dev.capsem.events.security.Answer;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.RuleId;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// A question that waits, with whom it keeps waiting.
final class Pending {
    /// One rule's question about one subject. A question of no rule is about one thing that changed: it is
    /// answered for once, and no other answer is one to it.
    record Grant(Optional<RuleId> rule, List<String> subject) {
        boolean isForOnce() {
            return rule.isEmpty();
        }
    }

    final String id;
    final Grant grant;
    final ApprovalSubject subject;
    final SecurityEvent event;
    final Evaluation asked;
    final Instant at;
    final CompletableFuture<Answer> answer = new CompletableFuture<>();

    /// How many wait for the answer; guarded by the desk's lock.
    int askers;

    /// Set, under the desk's lock, when the attendants were told.
    ProcessMessage.@Nullable Question question;

    Pending(String id, Grant grant, ApprovalSubject subject, SecurityEvent event, Evaluation asked, Instant at) {
        this.id = id;
        this.grant = grant;
        this.subject = subject;
        this.event = event;
        this.asked = asked;
        this.at = at;
    }

    /// What a reply means; one of a scope that we do not know approves nothing.
    ///
    /// @param isForOnce whether no approval of this question reaches further
    static Answer answer(ServiceMessage.Reply reply, boolean isForOnce) {
        String by = reply.by().isBlank() ? "unknown" : reply.by();
        if (!reply.approved()) {
            return new Answer.Refused(Answer.Cause.DENIED, "denied by " + by, by);
        }
        return Arrays.stream(Answer.Scope.values())
                .filter(scope -> scope.wireName().equals(reply.scope()))
                .findFirst()
                .<Answer>map(scope -> new Answer.Approved(isForOnce ? Answer.Scope.ONCE : scope, by))
                .orElseGet(() -> new Answer.Refused(Answer.Cause.DENIED, "the approval has no scope that we know", by));
    }
}
