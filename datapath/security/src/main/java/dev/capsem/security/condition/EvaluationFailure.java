package dev.capsem.security.condition;

/// A condition could not be evaluated. The engine blocks the event.
public final class EvaluationFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// The kind of failure.
    public enum Kind {
        BUDGET_EXCEEDED("needs more work than one event is worth"),
        DIVISION_BY_ZERO("divides by zero"),
        OVERFLOW("computes a number that is too large"),
        CONVERSION("converts a text that is not a number"),
        RATE_FULL("counts more keys or events than a sandbox may");

        private final String message;

        Kind(String message) {
            this.message = message;
        }

        public String message() {
            return message;
        }
    }

    private final Kind kind;

    EvaluationFailure(Kind kind) {
        super(kind.message(), null, false, false);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
