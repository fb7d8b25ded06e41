package dev.capsem.service.budgets;

import dev.capsem.events.budget.Budget;
import dev.capsem.events.budget.BudgetAmount;
import dev.capsem.service.budgets.BudgetLedger.Standing;

/// What people and agents are told of a budget.
final class BudgetText {
    private static final int PERCENT = 100;

    private BudgetText() {}

    /// `$4.80 of $5.00 spent; this call may cost $0.31: the budget daily has no room for it`
    static String noRoom(Standing standing, long wanted) {
        return shown(standing, standing.spent()) + " of " + shown(standing, standing.limit()) + " spent"
                + (standing.held() > 0
                        ? ", " + shown(standing, standing.held()) + " set aside for calls under way"
                        : "")
                + "; this call may cost " + shown(standing, wanted) + ": the budget "
                + standing.budget().name() + " has no room for it";
    }

    static String warning(Standing standing) {
        long used = standing.spent() + standing.held();
        return "the budget " + standing.budget().name() + " is used to "
                + (long) ((double) used * PERCENT / Math.max(1, standing.limit())) + " %: " + shown(standing, used)
                + " of " + shown(standing, standing.limit());
    }

    /// @param sandbox named where each has its own sum
    static String raise(Budget budget, String sandbox) {
        return "a person raises it with `capsem budget raise " + budget.name() + " "
                + budget.limit().spelling().replace(" ", "")
                + (budget.window().isPerSandbox() ? " --sandbox " + sandbox : "") + "`";
    }

    private static String shown(Standing standing, long value) {
        return new BudgetAmount(standing.budget().limit().unit(), Math.clamp(value, 0, BudgetAmount.VALUE_MAX)).shown();
    }
}
