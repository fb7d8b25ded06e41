/// Budgets of the whole account: what is spent, what is set aside for calls under way, and who may spend more. Entry
/// type: [dev.capsem.service.budgets.BudgetBook]. `BudgetLedger` is pure; `BudgetFeed` listens to the processes.
@NullMarked
package dev.capsem.service.budgets;

import org.jspecify.annotations.NullMarked;
