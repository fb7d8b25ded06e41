package dev.capsem.cli;

/// One command of `capsem`, its options filled in by picocli.
public interface CapsemCommand {
    /// Does it; answers the exit code.
    int run();

    /// Whether everything from the first word that is no option on belongs to a guest command: `run ls -l`.
    default boolean takesGuestCommand() {
        return false;
    }
}
