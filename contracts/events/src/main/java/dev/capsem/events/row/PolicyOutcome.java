package dev.capsem.events.row;

import java.util.Optional;

/// The four `policy_*` columns: which rule decided, and what.
///
/// @param mode `enforce` or `audit_only`
/// @param action allow, ask, block or rewrite
public record PolicyOutcome(
        Optional<String> mode, Optional<String> action, Optional<String> rule, Optional<String> reason) {
    public static final PolicyOutcome NONE =
            new PolicyOutcome(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    void values(RowValues out) {
        out.text(mode);
        out.text(action);
        out.text(rule);
        out.text(reason);
    }
}
