package dev.capsem.exchange.http;

import dev.capsem.events.budget.BudgetAmount;
import dev.capsem.events.budget.BudgetClaim;
import dev.capsem.events.budget.BudgetUnit;
import dev.capsem.events.budget.CallCost;
import dev.capsem.events.budget.SpendingAnswer;
import dev.capsem.events.budget.SpendingDesk;
import dev.capsem.events.budget.SpendingHold;
import dev.capsem.events.security.SecurityEvent;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/// A budget that a transcript has, or has not.
///
/// @param lines told what becomes of what was set aside
record ScriptedBudget(boolean isThere, boolean isPriceless, Consumer<String> lines) implements SpendingDesk {
    @Override
    public Optional<Spending> spending(SecurityEvent.HttpRequest request, Optional<ModelCall> model) {
        if (!isThere) {
            return Optional.empty();
        }
        long cost =
                model.map(call -> call.bound().get().microUsd().orElseThrow()).orElse(0L);
        return Optional.of(new Spending(
                List.of(new BudgetClaim("daily", new BudgetAmount(BudgetUnit.USD, cost), 0)),
                isPriceless
                        ? Optional.of(new SpendingAnswer.Refused(
                                Optional.of("daily"), "nobody knows the price", "use another", false, Optional.empty()))
                        : Optional.empty()));
    }

    @Override
    public CompletableFuture<SpendingAnswer> reserve(Spending spending, boolean isApproved) {
        throw new IllegalStateException("the actions are asked");
    }

    SpendingAnswer granted() {
        return new SpendingAnswer.Granted(new SpendingHold() {
            @Override
            public void settle(CallCost cost) {
                lines.accept("settle " + cost.microUsd().orElseThrow() + " millionths");
            }

            @Override
            public void spend() {
                lines.accept("all that was set aside is spent");
            }

            @Override
            public void release() {
                lines.accept("give back what was set aside");
            }
        });
    }

    static SpendingAnswer refused(boolean asks) {
        return new SpendingAnswer.Refused(
                Optional.of("daily"),
                "$4.80 of $5.00 spent; this call may cost $0.31: the budget daily has no room for it",
                "a person raises it with `capsem budget raise daily 5usd`",
                asks,
                Optional.of(Duration.ofHours(3)));
    }
}
