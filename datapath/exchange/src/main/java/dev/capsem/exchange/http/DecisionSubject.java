package dev.capsem.exchange.http;

/// The subject of a decision.
enum DecisionSubject {
    REQUEST,
    MODEL_REQUEST,
    /// The request once more, with the address that it leads to.
    ADDRESS,
    RESPONSE,
    MODEL_RESPONSE
}
