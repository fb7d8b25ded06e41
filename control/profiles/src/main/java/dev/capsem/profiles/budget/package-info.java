/// Budgets as profiles have them: read with all problems at once, written as JSON and as TOML. Entry type:
/// [dev.capsem.profiles.budget.BudgetReader]. Keeps no sums.
@NullMarked
package dev.capsem.profiles.budget;

import org.jspecify.annotations.NullMarked;
