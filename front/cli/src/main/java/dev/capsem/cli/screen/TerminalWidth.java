package dev.capsem.cli.screen;

import java.io.IOException;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/// How many columns our terminal has. Apart from [Screen], which must not load JLine for those who do not ask.
final class TerminalWidth {
    /// The width of a terminal that does not tell its own.
    private static final int DEFAULT = 80;

    private TerminalWidth() {}

    static int columns() {
        try (Terminal terminal = TerminalBuilder.builder()
                .system(true)
                .dumb(true)
                .nativeSignals(false)
                .graphemeCluster(false)
                .build()) {
            int columns = terminal.getSize().getColumns();
            return columns > 0 ? columns : DEFAULT;
        } catch (IOException unknown) {
            return DEFAULT;
        }
    }
}
