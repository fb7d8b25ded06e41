package dev.capsem.cli.rules;

import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import java.util.List;

/// Prints findings as compilers do: `file:line:column: message`, then the line with a mark under the place.
public final class FileProblemPrinter {
    /// Longer lines are cut around the place.
    private static final int SHOWN_CHARS_MAX = 100;

    private final Screen screen;
    private final Ink ink;

    public FileProblemPrinter(Screen screen) {
        this.screen = screen;
        this.ink = screen.outInk();
    }

    public void print(FileProblem finding, SourceFile source) {
        boolean isElsewhere = !finding.file().isEmpty() && !finding.file().equals(source.name());
        String file = isElsewhere ? finding.file() : source.name();
        String place = finding.line() > 0 ? ":" + finding.line() + ":" + Math.max(1, finding.column()) : "";
        String weight = finding.isWarning() ? ink.yellow("warning: ") : "";
        screen.print(ink.bold(Printable.line(file) + place) + ": " + weight + Printable.line(finding.message()));
        if (!isElsewhere) {
            printLine(finding, source.lines());
        }
        finding.suggestion()
                .filter(hint -> !finding.message().contains(hint))
                .ifPresent(hint -> screen.print("  → did you mean " + Printable.line(hint) + "?"));
    }

    private void printLine(FileProblem finding, List<String> lines) {
        if (finding.line() < 1 || finding.line() > lines.size()) {
            return;
        }
        String line = lines.get(finding.line() - 1).replace('\t', ' ');
        int at = Math.clamp(finding.column() - 1L, 0, line.length());
        int start = at < SHOWN_CHARS_MAX - 10 ? 0 : at - SHOWN_CHARS_MAX / 2;
        int end = Math.min(line.length(), start + SHOWN_CHARS_MAX);
        String before = Printable.line(line.substring(start, at));
        String number = String.valueOf(finding.line());
        String blank = " ".repeat(number.length());
        screen.print(ink.faint("  " + number + " │ ") + before + Printable.line(line.substring(at, end)));
        String mark = finding.isWarning() ? ink.yellow("^") : ink.red("^");
        screen.print(ink.faint("  " + blank + " │ ") + " ".repeat(before.length()) + mark);
    }
}
