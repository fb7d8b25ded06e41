package dev.capsem.service.budgets;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What is set aside for one call.
///
/// @param isTaken whether the process may have sent the call: it says so before it does
/// @param lease until when its process may come back; none while it is there
record BudgetReservation(String id, List<Held> held, boolean isTaken, Optional<Instant> lease) {
    /// @param windowStart of the window that it is set aside in
    record Held(String account, Instant windowStart, long amount, long unpricedTokens) {}

    BudgetReservation {
        held = List.copyOf(held);
    }

    BudgetReservation taken() {
        return new BudgetReservation(id, held, true, Optional.empty());
    }

    BudgetReservation leased(Instant until) {
        return new BudgetReservation(id, held, isTaken, Optional.of(until));
    }

    boolean isExpired(Instant now) {
        return lease.filter(until -> !now.isBefore(until)).isPresent();
    }
}
