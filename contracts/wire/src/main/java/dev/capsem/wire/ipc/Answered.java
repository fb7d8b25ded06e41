package dev.capsem.wire.ipc;

/// The outcome of a [ServiceMessage.Query].
public sealed interface Answered<R extends ProcessMessage> {
    record With<R extends ProcessMessage>(R answer) implements Answered<R> {}

    record Failure<R extends ProcessMessage>(ProcessMessage.Failed failed) implements Answered<R> {}

    /// The process closed the connection instead.
    record Closed<R extends ProcessMessage>() implements Answered<R> {}
}
