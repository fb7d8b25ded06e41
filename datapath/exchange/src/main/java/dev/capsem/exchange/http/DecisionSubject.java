package dev.capsem.exchange.http;

/// The subject of a decision.
enum DecisionSubject {
    REQUEST,
    MODEL_REQUEST,
    /// The request once more, with the address that it leads to.
    ADDRESS,
    /// What the request may cost.
    SPENDING,
    RESPONSE,
    MODEL_RESPONSE;

    /// Whether a connection is waited for at that time.
    boolean isWhileConnecting() {
        return this == ADDRESS || this == SPENDING;
    }
}
