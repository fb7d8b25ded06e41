package dev.capsem.process.budget;

import dev.capsem.events.budget.Budget;
import dev.capsem.events.budget.BudgetAmount;
import dev.capsem.events.budget.BudgetClaim;
import dev.capsem.events.budget.BudgetUnit;
import dev.capsem.events.budget.CallCost;
import dev.capsem.events.budget.SpendingAnswer;
import dev.capsem.events.budget.SpendingDesk;
import dev.capsem.events.security.SecurityEvent;
import dev.capsem.security.CallCondition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The budgets of a session in one revision, ready to be asked which of them count a call.
public final class SessionBudgets {
    public static final SessionBudgets NONE = new SessionBudgets(List.of());

    private final List<Counted> budgets;

    /// @param condition none if it counts every call of its unit
    private record Counted(Budget budget, Optional<CallCondition> condition) {
        boolean covers(List<SecurityEvent> events) {
            return condition.map(found -> found.covers(events)).orElse(true);
        }
    }

    private SessionBudgets(List<Counted> budgets) {
        this.budgets = List.copyOf(budgets);
    }

    public static SessionBudgets of(List<Budget> budgets) {
        return budgets.isEmpty()
                ? NONE
                : new SessionBudgets(budgets.stream()
                        .map(budget -> new Counted(budget, condition(budget)))
                        .toList());
    }

    /// The service refuses a profile with a condition that does not compile. If one comes all the same,
    /// it counts all.
    private static Optional<CallCondition> condition(Budget budget) {
        return budget.match()
                .map(text -> CallCondition.compile(text, budget.limit().unit().matched()))
                .flatMap(result -> result instanceof CallCondition.Result.Compiled compiled
                        ? Optional.of(compiled.condition())
                        : Optional.empty());
    }

    /// What a call takes of each that counts it; empty if none does.
    Optional<SpendingDesk.Spending> spending(
            SecurityEvent.HttpRequest request, Optional<SpendingDesk.ModelCall> model) {
        if (budgets.isEmpty()) {
            return Optional.empty();
        }
        List<SecurityEvent> events = new ArrayList<>();
        model.ifPresent(call -> events.add(call.request()));
        events.add(request);
        List<Budget> counting = budgets.stream()
                .filter(one -> model.isPresent() || one.budget().limit().unit() == BudgetUnit.REQUESTS)
                .filter(one -> one.covers(events))
                .map(Counted::budget)
                .toList();
        if (counting.isEmpty()) {
            return Optional.empty();
        }
        boolean needsBound = counting.stream().anyMatch(budget -> budget.limit().unit() != BudgetUnit.REQUESTS);
        CallCost bound = needsBound ? model.orElseThrow().bound().get() : CallCost.NOTHING;
        List<BudgetClaim> claims = new ArrayList<>();
        for (Budget budget : counting) {
            if (isPriceless(budget, bound)) {
                return Optional.of(new SpendingDesk.Spending(List.of(), Optional.of(unpriced(budget, model))));
            }
            claims.add(claim(budget, bound));
        }
        return Optional.of(new SpendingDesk.Spending(claims, Optional.empty()));
    }

    private static boolean isPriceless(Budget budget, CallCost bound) {
        return budget.limit().unit() == BudgetUnit.USD
                && bound.microUsd().isEmpty()
                && budget.unpriced() == Budget.Unpriced.BLOCK;
    }

    private static SpendingAnswer.Refused unpriced(Budget budget, Optional<SpendingDesk.ModelCall> model) {
        String name = model.flatMap(call -> call.request().model())
                .filter(text -> text.length() <= 128 && text.chars().allMatch(c -> c > ' ' && c < 127))
                .map(text -> "the model " + text)
                .orElse("this model");
        return new SpendingAnswer.Refused(
                Optional.of(budget.name()),
                "nobody knows the price of " + name + ", and the budget " + budget.name() + " counts dollars",
                "use a model with a known price, or set unpriced = \"count-tokens\" in the budget " + budget.name(),
                false,
                Optional.empty());
    }

    private static BudgetClaim claim(Budget budget, CallCost bound) {
        BudgetUnit unit = budget.limit().unit();
        return switch (unit) {
            case REQUESTS -> new BudgetClaim(budget.name(), new BudgetAmount(unit, 1), 0);
            case TOKENS -> new BudgetClaim(budget.name(), new BudgetAmount(unit, bound.tokens()), 0);
            case USD ->
                bound.microUsd().isPresent()
                        ? new BudgetClaim(
                                budget.name(),
                                new BudgetAmount(unit, bound.microUsd().getAsLong()),
                                0)
                        : new BudgetClaim(budget.name(), new BudgetAmount(unit, 0), bound.tokens());
        };
    }
}
