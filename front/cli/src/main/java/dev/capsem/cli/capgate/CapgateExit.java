package dev.capsem.cli.capgate;

/// The program's exit codes; a published contract.
enum CapgateExit {
    SUCCESS(0),
    NO_COMMAND(1),
    USAGE(2),
    UNREADABLE(3),
    COMPILATION(4),
    /// `check` found an error, `diff` a widening, `verify` a difference: the reviewer has to look.
    REVIEW(5);

    private final int number;

    CapgateExit(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
