/// Budgets as one session knows them: which calls they count, and the conversation with the service that keeps the
/// sums. Entry type: [dev.capsem.process.budget.BudgetDesk]. Nothing passes while nobody keeps them.
@NullMarked
package dev.capsem.process.budget;

import org.jspecify.annotations.NullMarked;
