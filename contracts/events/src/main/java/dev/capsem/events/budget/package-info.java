/// Limits on what sandboxes may spend, and the port through which a stage asks before it spends. Entry types:
/// [dev.capsem.events.budget.Budget], [dev.capsem.events.budget.SpendingDesk]. Who keeps the sums is another
/// module's business: the service, for all sandboxes of the account.
@NullMarked
package dev.capsem.events.budget;

import org.jspecify.annotations.NullMarked;
