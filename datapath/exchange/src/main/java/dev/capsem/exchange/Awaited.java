package dev.capsem.exchange;

import dev.capsem.events.security.Answer;
import java.time.Duration;

/// The result of waiting for a person whose asker may leave.
public sealed interface Awaited {
    record Answered(Answer answer) implements Awaited {}

    /// Nobody wants the answer any more.
    record Cancelled() implements Awaited {}

    record TooLate(Duration patience) implements Awaited {}

    /// The approval service broke its promise to answer.
    record Failed() implements Awaited {}
}
