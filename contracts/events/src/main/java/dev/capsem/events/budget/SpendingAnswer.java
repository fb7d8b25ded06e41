package dev.capsem.events.budget;

import java.time.Duration;
import java.util.Optional;

/// Whether a call may spend what it may cost.
public sealed interface SpendingAnswer {
    /// @param hold the caller's to settle or to release, whatever happens
    record Granted(SpendingHold hold) implements SpendingAnswer {}

    /// Nothing is held.
    ///
    /// @param budget that has no room; none if nobody could be asked
    /// @param reason one sentence for people and agents
    /// @param remedy the command that raises the budget, or what else helps
    /// @param asks whether a person may let it pass all the same
    /// @param until how long it takes until the budget begins anew; none if time does not help
    record Refused(Optional<String> budget, String reason, String remedy, boolean asks, Optional<Duration> until)
            implements SpendingAnswer {}
}
