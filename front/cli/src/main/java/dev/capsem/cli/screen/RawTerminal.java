package dev.capsem.cli.screen;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Consumer;
import org.jline.terminal.Attributes;
import org.jline.terminal.Attributes.ControlChar;
import org.jline.terminal.Attributes.LocalFlag;
import org.jline.terminal.Attributes.OutputFlag;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/// Our terminal with every key passed on as it is typed. Closing restores it, and so does the end of the process.
///
/// Only modes, size and signals go through JLine. Bytes are read and written at the [Screen]: JLine's reader holds a
/// lock while it waits for a key, and its own clean-up at exit would wait for that lock.
public final class RawTerminal implements AutoCloseable {
    /// JLine refuses to change the modes of a terminal that it takes for dumb, and we use none of its sequences.
    private static final String ANY_TYPE = "ansi";

    private final Terminal terminal;
    private final Attributes before;
    private final Thread atExit;

    /// @param rows at least 1
    /// @param columns at least 1
    public record Size(int rows, int columns) {
        /// For a terminal that does not say.
        public static final Size USUAL = new Size(24, 80);
    }

    private RawTerminal(Terminal terminal) {
        this.terminal = terminal;
        this.before = terminal.getAttributes();
        this.atExit = Thread.ofPlatform().name("restore-terminal").unstarted(this::restore);
    }

    public static RawTerminal enter() {
        RawTerminal raw =
                open(TerminalBuilder.builder().nativeSignals(true).signalHandler(Terminal.SignalHandler.SIG_IGN));
        Attributes attributes = raw.terminal.getAttributes();
        attributes.setLocalFlag(LocalFlag.ISIG, false);
        attributes.setOutputFlag(OutputFlag.OPOST, false);
        raw.terminal.setAttributes(attributes);
        return raw;
    }

    /// For single keys only: lines are printed as ever, and Ctrl-C ends us as ever.
    public static RawTerminal forKeys() {
        RawTerminal raw = open(TerminalBuilder.builder().nativeSignals(false));
        Attributes attributes = raw.terminal.getAttributes();
        // JLine's raw mode takes it away: Ctrl-C would be a key like any other, and the command would go on.
        attributes.setLocalFlag(LocalFlag.ISIG, true);
        // A shell that comes up over a question would get its answer.
        attributes.setControlChar(ControlChar.VSUSP, 0);
        raw.terminal.setAttributes(attributes);
        return raw;
    }

    private static RawTerminal open(TerminalBuilder builder) {
        Terminal terminal;
        try {
            terminal = builder.system(true)
                    .dumb(false)
                    .type(ANY_TYPE)
                    // Else it asks the terminal questions whose answers the guest would read as typed.
                    .graphemeCluster(false)
                    .build();
        } catch (IOException | IllegalStateException failure) {
            throw new UncheckedIOException(new IOException("this terminal cannot be used: " + failure.getMessage()));
        }
        var raw = new RawTerminal(terminal);
        Runtime.getRuntime().addShutdownHook(raw.atExit);
        terminal.enterRawMode();
        return raw;
    }

    public Size size() {
        var size = terminal.getSize();
        return size.getRows() > 0 && size.getColumns() > 0 ? new Size(size.getRows(), size.getColumns()) : Size.USUAL;
    }

    public void onResize(Consumer<Size> listener) {
        terminal.handle(Terminal.Signal.WINCH, signal -> listener.accept(size()));
    }

    /// Also lets go of the terminal: JLine opens no second one before.
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException exiting) {
            // Then the hook runs and does the same.
        }
        restore();
        try {
            terminal.close();
        } catch (IOException failure) {
            throw new UncheckedIOException("this terminal cannot be left: " + failure.getMessage(), failure);
        }
    }

    private void restore() {
        terminal.setAttributes(before);
        terminal.flush();
    }
}
