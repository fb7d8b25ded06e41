package dev.capsem.service.budgets;

import dev.capsem.events.budget.Budget;
import java.time.Instant;
import java.util.Optional;

/// What was spent of one budget in its window.
///
/// @param key names budget, unit, window and, where each sandbox has its own, the sandbox
/// @param windowStart of the window that the sums are of
/// @param raised by how much people raised the limit in this window
/// @param unpricedTokens of calls whose price nobody knows
/// @param warning how far people were warned in this window
record BudgetAccount(String key, Instant windowStart, long spent, long raised, long unpricedTokens, Warning warning) {
    enum Warning {
        NONE,
        SOFT,
        OVER
    }

    static BudgetAccount fresh(String key, Instant windowStart) {
        return new BudgetAccount(key, windowStart, 0, 0, 0, Warning.NONE);
    }

    /// @param scope the sandbox, or its run, if each has its own; else empty
    static String key(String profile, Budget budget, String scope) {
        return String.join(
                "/",
                profile,
                budget.name(),
                budget.limit().unit().wireName(),
                budget.window().wireName(),
                scope);
    }

    /// Whose sandbox and forks it is of, if each has its own.
    Optional<String> root() {
        String scope = key.substring(key.lastIndexOf('/') + 1);
        int run = scope.indexOf('@');
        return Optional.of(run < 0 ? scope : scope.substring(0, run)).filter(root -> !root.isEmpty());
    }

    BudgetAccount spent(long amount, long tokens) {
        return new BudgetAccount(key, windowStart, spent + amount, raised, unpricedTokens + tokens, warning);
    }

    BudgetAccount raised(long amount) {
        return new BudgetAccount(key, windowStart, spent, raised + amount, unpricedTokens, Warning.NONE);
    }

    BudgetAccount warned(Warning now) {
        return new BudgetAccount(key, windowStart, spent, raised, unpricedTokens, now);
    }
}
