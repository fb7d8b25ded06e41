/// Commands about budgets. Entry type: [dev.capsem.cli.budget.BudgetListCommand]. They show what the service says
/// and know no sums of their own.
@NullMarked
package dev.capsem.cli.budget;

import org.jspecify.annotations.NullMarked;
