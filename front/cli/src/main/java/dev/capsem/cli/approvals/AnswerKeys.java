package dev.capsem.cli.approvals;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Decides whether a key is an answer. A guest chooses when its question comes up, so that a person who is typing could
/// approve it by accident: a key counts only after a moment in which none was pressed, and only if it comes alone (what
/// comes in one piece was pasted, or is a function key).
final class AnswerKeys {
    /// Longer than the pause between two keys of a person who types.
    static final Duration QUIET = Duration.ofMillis(700);

    /// Long enough to see that it is another question, for a person who was about to answer one that went away.
    static final Duration SWAPPED = Duration.ofMillis(2_500);

    private static final int CONTROL_C = 3;

    private final Duration quiet;
    private Instant quietSince;

    /// @param quiet how long no key may have been pressed before one counts
    AnswerKeys(Instant shown, Duration quiet) {
        this.quietSince = shown;
        this.quiet = quiet;
    }

    /// @param scopes that the question may be approved for
    Optional<ApprovalAnswer> read(byte[] keys, int length, Instant now, List<String> scopes) {
        boolean wasQuiet = !now.isBefore(quietSince.plus(quiet));
        quietSince = now;
        if (length != 1) {
            return Optional.empty();
        }
        if (isInterrupt(keys, length)) {
            return Optional.of(ApprovalAnswer.DENY);
        }
        if (!wasQuiet) {
            return Optional.empty();
        }
        return switch (keys[0]) {
            case 'o' -> offered(ApprovalAnswer.ONCE, scopes);
            case 's' -> offered(ApprovalAnswer.SESSION, scopes);
            case 'a' -> offered(ApprovalAnswer.ALWAYS, scopes);
            case 'd' -> Optional.of(ApprovalAnswer.DENY);
            default -> Optional.empty();
        };
    }

    static boolean isInterrupt(byte[] keys, int length) {
        return length == 1 && keys[0] == CONTROL_C;
    }

    private static Optional<ApprovalAnswer> offered(ApprovalAnswer answer, List<String> scopes) {
        return scopes.contains(answer.scope()) ? Optional.of(answer) : Optional.empty();
    }
}
