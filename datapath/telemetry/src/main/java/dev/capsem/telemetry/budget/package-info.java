/// budgets.db: what sandboxes of this home spent, and what is set aside for calls under way. Entry type:
/// [dev.capsem.telemetry.budget.BudgetDatabase]. Knows no budget and decides nothing.
@NullMarked
package dev.capsem.telemetry.budget;

import org.jspecify.annotations.NullMarked;
