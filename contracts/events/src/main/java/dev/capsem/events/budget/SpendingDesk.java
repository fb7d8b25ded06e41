package dev.capsem.events.budget;

import dev.capsem.events.security.SecurityEvent;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// The port through which a stage asks before it spends.
public interface SpendingDesk {
    /// Nothing is limited.
    SpendingDesk NONE = new SpendingDesk() {
        @Override
        public Optional<Spending> spending(SecurityEvent.HttpRequest request, Optional<ModelCall> model) {
            return Optional.empty();
        }

        @Override
        public CompletableFuture<SpendingAnswer> reserve(Spending spending, boolean isApproved) {
            throw new IllegalStateException("nothing is limited");
        }
    };

    /// A request that asks a model.
    ///
    /// @param bound never below what it will cost; expensive to find out
    record ModelCall(SecurityEvent.ModelRequest request, Supplier<CallCost> bound) {}

    /// What a call takes of all budgets that it matches.
    ///
    /// @param obstacle why it cannot be counted, and so is refused
    record Spending(List<BudgetClaim> claims, Optional<SpendingAnswer.Refused> obstacle) {
        public Spending {
            claims = List.copyOf(claims);
        }
    }

    /// Quick, and safe on an event loop. Empty if no budget in force counts such a call.
    Optional<Spending> spending(SecurityEvent.HttpRequest request, Optional<ModelCall> model);

    /// Sets aside what all the budgets need, or nothing. Completes within seconds, always, and never exceptionally.
    /// What depends on the future must hop to its own thread.
    ///
    /// @param isApproved whether a person lets this call pass beyond the limit
    CompletableFuture<SpendingAnswer> reserve(Spending spending, boolean isApproved);
}
