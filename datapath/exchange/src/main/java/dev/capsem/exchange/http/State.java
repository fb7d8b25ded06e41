package dev.capsem.exchange.http;

/// How far an exchange has come.
enum State {
    /// The body is read, and held, because the decision needs it.
    COLLECTING,
    /// Waits for a place on record.
    ADMITTING,
    /// Waits for the decision on the request, or on where it leads.
    JUDGING,
    /// Waits for room in budgets, or for a person who may let it pass without.
    RESERVING,
    /// Waits for the upstream's addresses.
    LOCATING,
    CONNECTING,
    /// The request goes to the upstream as it comes, and the response comes back.
    CARRYING,
    /// We answer ourselves; the rest of the request is thrown away.
    ANSWERING,
    OVER
}
