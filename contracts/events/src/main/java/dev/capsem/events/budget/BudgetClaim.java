package dev.capsem.events.budget;

/// What one call takes of one budget.
///
/// @param budget its name
/// @param unpricedTokens tokens whose price nobody knows; they are counted beside the limit
public record BudgetClaim(String budget, BudgetAmount amount, long unpricedTokens) {
    public BudgetClaim {
        unpricedTokens = Math.clamp(unpricedTokens, 0, BudgetAmount.VALUE_MAX);
    }

    /// Of the same budget, once it is known what the call came to.
    public BudgetClaim settled(CallCost cost) {
        return switch (amount.unit()) {
            case REQUESTS -> this;
            case TOKENS -> new BudgetClaim(budget, new BudgetAmount(BudgetUnit.TOKENS, cost.tokens()), 0);
            case USD ->
                cost.microUsd().isPresent()
                        ? new BudgetClaim(
                                budget,
                                new BudgetAmount(BudgetUnit.USD, cost.microUsd().getAsLong()),
                                0)
                        : new BudgetClaim(budget, amount, unpricedTokens > 0 ? cost.tokens() : 0);
        };
    }
}
