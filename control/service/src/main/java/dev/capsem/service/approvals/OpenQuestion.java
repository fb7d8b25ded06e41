package dev.capsem.service.approvals;

import dev.capsem.service.processes.ProcessConnection;
import dev.capsem.service.table.Sandbox;
import dev.capsem.wire.ipc.ProcessMessage;
import java.util.concurrent.CompletableFuture;

/// A question with the way back to who asked.
///
/// @param outcome completed when it is over, with what became of it
/// @param answer completed when a person has answered
/// @param prepared completed when its process has found the rule for an "always"
record OpenQuestion(
        Sandbox sandbox,
        PendingQuestion pending,
        ProcessConnection connection,
        CompletableFuture<String> outcome,
        CompletableFuture<PersonAnswer> answer,
        CompletableFuture<ProcessMessage.Prepared> prepared) {
    static OpenQuestion of(Sandbox sandbox, PendingQuestion pending, ProcessConnection connection) {
        return new OpenQuestion(
                sandbox,
                pending,
                connection,
                new CompletableFuture<>(),
                new CompletableFuture<>(),
                new CompletableFuture<>());
    }

    /// The same before anybody answered.
    OpenQuestion unanswered() {
        return new OpenQuestion(
                sandbox, pending, connection, outcome, new CompletableFuture<>(), new CompletableFuture<>());
    }
}
