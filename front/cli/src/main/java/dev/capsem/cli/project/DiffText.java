package dev.capsem.cli.project;

import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;

/// A patch as people read it.
public final class DiffText {
    private DiffText() {}

    /// Without the letters that stand for binary content, which only `git apply` reads.
    public static void print(Screen screen, String unified) {
        boolean isBinary = false;
        for (String line : unified.lines().toList()) {
            if (line.startsWith("diff --git ") || line.startsWith("# ")) {
                isBinary = false;
            } else if (line.equals("GIT binary patch")) {
                isBinary = true;
                screen.print("binary content");
            }
            if (!isBinary) {
                screen.print(coloured(Printable.text(line), screen.outInk()));
            }
        }
    }

    private static String coloured(String line, Ink ink) {
        if (line.startsWith("diff ") || line.startsWith("+++") || line.startsWith("---")) {
            return ink.bold(line);
        }
        if (line.startsWith("@@")) {
            return ink.cyan(line);
        }
        if (line.startsWith("+")) {
            return ink.green(line);
        }
        return line.startsWith("-") ? ink.red(line) : line;
    }
}
