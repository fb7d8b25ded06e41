package dev.capsem.security.condition;

/// How a condition took an event.
public enum Match {
    YES,
    NO,
    /// No, because a value it reads is not there.
    MISSING,
    /// It could be yes, depending on a body that is not there to read.
    OPEN;

    static Match of(int truth) {
        return switch (truth) {
            case Truth.TRUE -> YES;
            case Truth.FALSE -> NO;
            default -> Truth.canBeTrue(truth) ? OPEN : truth == Truth.MISSING ? MISSING : NO;
        };
    }
}
