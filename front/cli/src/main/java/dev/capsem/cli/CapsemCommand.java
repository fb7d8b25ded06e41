package dev.capsem.cli;

import java.util.List;

/// One command of `capsem`. Its options are filled in by picocli, or, where there are none but the common ones, by
/// [#takePlain]: picocli alone costs most of the time a small command has.
public interface CapsemCommand {
    /// Does it; answers the exit code.
    int run();

    /// Whether everything from the first word that is no option on belongs to a guest command: `run ls -l`.
    default boolean takesGuestCommand() {
        return false;
    }

    /// Takes arguments without options of its own. False leaves them to picocli, which also words the complaints.
    default boolean takePlain(OutputOptions output, List<String> words) {
        return false;
    }
}
