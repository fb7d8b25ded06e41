package dev.capsem.cli.screen;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;

/// The three standard streams and what is known about each. Answers go to `out`, everything said beside them to `err`.
public final class Screen {
    private final InputStream in;
    private final PrintStream out;
    private final PrintStream err;
    private final Terminals terminals;
    private final Ink outInk;
    private final Ink errInk;
    private final IntSupplier columns;
    private final boolean isDumb;

    /// Set once, before anything is written.
    private CalledAs calledAs = CalledAs.WRITTEN;

    /// Set once, before anything is asked.
    private boolean isForProgram;

    /// Which of the streams are terminals.
    public record Terminals(boolean in, boolean out, boolean err) {
        public static final Terminals NONE = new Terminals(false, false, false);
    }

    public Screen(
            InputStream in, OutputStream out, OutputStream err, Terminals terminals, Map<String, String> environment) {
        this.in = in;
        this.out = new PrintStream(out, false, StandardCharsets.UTF_8);
        this.err = new PrintStream(err, true, StandardCharsets.UTF_8);
        this.terminals = terminals;
        this.isDumb = List.of("", "dumb").contains(environment.getOrDefault("TERM", ""));
        boolean wanted = !environment.containsKey("NO_COLOR") && !"dumb".equals(environment.get("TERM"));
        this.outInk = new Ink(wanted && terminals.out());
        this.errInk = new Ink(wanted && terminals.err());
        Optional<Integer> told = Optional.ofNullable(environment.get("COLUMNS"))
                .filter(text -> text.matches("[1-9][0-9]{1,3}"))
                .map(Integer::valueOf);
        this.columns = () -> terminals.out() ? told.orElseGet(TerminalWidth::columns) : told.orElse(Integer.MAX_VALUE);
    }

    /// The streams of this process, unbuffered: what a guest prints is seen at once.
    public static Screen ofProcess(Map<String, String> environment) {
        return new Screen(
                new FileInputStream(FileDescriptor.in),
                new FileOutputStream(FileDescriptor.out),
                new FileOutputStream(FileDescriptor.err),
                new Terminals(isTerminal(0), isTerminal(1), isTerminal(2)),
                environment);
    }

    /// From now on nothing moves on stderr: a program reads the answer.
    public void withoutProgress() {
        isForProgram = true;
    }

    boolean showsProgress() {
        return terminals.err() && !isDumb && !isForProgram;
    }

    /// From now on hints are written like this.
    public Screen calledAs(CalledAs name) {
        calledAs = name;
        return this;
    }

    /// How wide an answer may be: no limit unless a person reads it.
    public int columns() {
        return columns.getAsInt();
    }

    /// Whether the terminal knows no sequences that move its cursor.
    public boolean isDumb() {
        return isDumb;
    }

    public InputStream in() {
        return in;
    }

    public PrintStream out() {
        return out;
    }

    public PrintStream err() {
        return err;
    }

    public Terminals terminals() {
        return terminals;
    }

    public Ink outInk() {
        return outInk;
    }

    public Ink errInk() {
        return errInk;
    }

    public void print(String line) {
        out.print(line + "\n");
    }

    /// A line of our own in an answer, with commands that can be typed.
    public void advise(String line) {
        print(calledAs.adapt(line));
    }

    /// A remark beside the answer, with commands that can be typed.
    public void remark(String line) {
        err.print(calledAs.adapt(line) + "\n");
    }

    /// Something is not as it was asked for; the command goes on.
    public void warn(String text) {
        remark(errInk.yellow("capsem: warning: ") + Printable.text(text));
    }

    private static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException closed) {
            return false;
        }
    }
}
