package dev.capsem.exchange.http;

/// How far a response has come.
enum ResponseStep {
    AWAITED,
    /// Held until it is complete, or larger than what is inspected.
    HELD,
    /// Waiting for a decision.
    JUDGED,
    STREAMING,
    /// All of it but the end has left; the end waits for the record.
    ENDING,
    OVER
}
