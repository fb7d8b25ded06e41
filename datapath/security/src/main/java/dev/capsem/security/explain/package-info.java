/// Answers about rules: why an event was decided as it was and what would allow it (`Explainer`), whether
/// rules do what their authors expect (`RuleTests`), what new rules would have done to recorded events
/// (`Backtest`). Everything here is computed from the snapshot that decides; nothing is guessed.
@NullMarked
package dev.capsem.security.explain;

import org.jspecify.annotations.NullMarked;
