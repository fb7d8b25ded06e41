package dev.capsem.service.budgets;

import dev.capsem.events.budget.Budget;
import dev.capsem.profiles.vocabulary.Provenance;

/// A budget as one session has it.
///
/// @param account where its sums are kept
/// @param provenance who set it
record SessionBudget(Budget budget, String account, Provenance provenance) {}
