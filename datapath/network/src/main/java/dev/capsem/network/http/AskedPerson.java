package dev.capsem.network.http;

import dev.capsem.events.security.Answer;
import dev.capsem.events.security.ApprovalDesk;
import dev.capsem.events.security.Evaluation;
import dev.capsem.events.security.SecurityEvent;
import io.netty.channel.EventLoop;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// The one question to a person that somebody on an event loop may have open.
@SuppressWarnings("FutureReturnValueIgnored")
final class AskedPerson {
    private final ApprovalDesk desk;
    private final EventLoop loop;
    private Optional<CompletableFuture<Answer>> open = Optional.empty();

    AskedPerson(ApprovalDesk desk, EventLoop loop) {
        this.desk = desk;
        this.loop = loop;
    }

    /// @param answered told on the loop, later; none if the question could not be asked
    void ask(SecurityEvent event, Evaluation question, Consumer<Optional<Answer>> answered) {
        CompletableFuture<Answer> asked = desk.ask(event, question);
        open = Optional.of(asked);
        asked.whenCompleteAsync(
                (answer, failure) -> {
                    open = Optional.empty();
                    if (!asked.isCancelled()) {
                        answered.accept(failure == null ? Optional.ofNullable(answer) : Optional.empty());
                    }
                },
                loop);
    }

    void answerInstead(Answer answer) {
        open.ifPresent(asked -> asked.complete(answer));
    }

    /// Nobody needs the answer.
    void withdraw() {
        open.ifPresent(asked -> asked.cancel(false));
    }
}
