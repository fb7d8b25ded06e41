package dev.capsem.events.budget;

/// What was set aside for one call. Safe for many threads; the first of its methods counts, and later
/// ones do nothing.
public interface SpendingHold {
    /// The call is over, and came to this.
    void settle(CallCost cost);

    /// The call was sent, and nobody knows what it came to: all that was set aside counts as spent.
    void spend();

    /// Nothing was sent.
    void release();
}
