package dev.capsem.cli;

/// One command of `capsem`, its options filled in by picocli.
public interface CapsemCommand {
    /// Does it; answers the exit code.
    int run();
}
