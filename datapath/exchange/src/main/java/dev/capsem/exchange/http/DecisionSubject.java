package dev.capsem.exchange.http;

/// What a decision is about.
enum DecisionSubject {
    REQUEST,
    MODEL_REQUEST,
    /// The request once more, with the address that it leads to.
    ADDRESS,
    RESPONSE,
    MODEL_RESPONSE
}
