/// What one exchange may spend: asked for before it leaves, settled when it is over, refused in the words of
/// the provider it was meant for. Entry type: [dev.capsem.exchange.http.budget.CallSpending]. Knows nothing of
/// the exchange.
@NullMarked
package dev.capsem.exchange.http.budget;

import org.jspecify.annotations.NullMarked;
