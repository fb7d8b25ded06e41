package dev.capsem.events.row;

import java.util.Optional;

/// The five `policy_*` columns: which rule decided, and what.
///
/// @param mode `enforce` or `audit_only`
/// @param action allow, ask, block or rewrite
/// @param outcome what became of a question: approved, denied, timeout, nobody or withdrawn; only with `ask`
public record PolicyOutcome(
        Optional<String> mode,
        Optional<String> action,
        Optional<String> rule,
        Optional<String> reason,
        Optional<String> outcome) {
    /// The column that records made before it was there do not have.
    static final String OUTCOME_COLUMN = "policy_outcome";

    public static final PolicyOutcome NONE =
            new PolicyOutcome(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /// Of something that nobody was asked about.
    public PolicyOutcome(
            Optional<String> mode, Optional<String> action, Optional<String> rule, Optional<String> reason) {
        this(mode, action, rule, reason, Optional.empty());
    }

    void values(RowValues out) {
        out.text(mode);
        out.text(action);
        out.text(rule);
        out.text(reason);
        out.text(outcome);
    }
}
