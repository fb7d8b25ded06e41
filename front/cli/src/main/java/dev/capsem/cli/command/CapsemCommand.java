package dev.capsem.cli.command;

import java.util.List;

/// One command of `capsem`. picocli fills in its options.
public interface CapsemCommand {
    /// Does it; answers the exit code.
    int run();

    /// Whether everything from the first word that is no option on belongs to a guest command: `run ls -l`.
    default boolean takesGuestCommand() {
        return false;
    }

    /// Takes a command line without options of its own. False leaves it to picocli, which also words the complaints.
    /// Loading picocli doubles the time of a small command: docs/adr/0030.
    default boolean takePlain(OutputOptions given, List<String> words) {
        return false;
    }
}
