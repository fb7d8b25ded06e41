package dev.capsem.cli.project;

import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.wire.service.ApplyReply.PathProblem;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// What apply leaves out: files that the host's tools may run, which come when they are named, and what never comes.
final class HeldPaths {
    /// More paths than people name in one command.
    private static final int NAMED_MAX = 20;

    private HeldPaths() {}

    /// @param held paths of the skipped that come when they are named
    static void print(Screen screen, String id, List<PathProblem> skipped, List<String> held) {
        Ink ink = screen.errInk();
        Set<String> waiting = new HashSet<>(held);
        List<PathProblem> run = skipped.stream()
                .filter(problem -> waiting.contains(problem.path()))
                .toList();
        List<PathProblem> never = skipped.stream()
                .filter(problem -> !waiting.contains(problem.path()))
                .toList();
        if (!run.isEmpty()) {
            screen.remark(ink.yellow("capsem: ") + "your tools may run these, so apply brings them only by name:");
            run.stream()
                    .limit(NAMED_MAX)
                    .forEach(problem -> screen.remark(
                            "  " + Printable.line(problem.path()) + ": " + Printable.line(problem.reason())));
            if (run.size() > NAMED_MAX) {
                screen.remark("  and " + (run.size() - NAMED_MAX) + " more: capsem diff " + id + " --json lists them");
            }
            String names = run.stream()
                    .limit(NAMED_MAX)
                    .map(problem -> quoted(problem.path()))
                    .collect(Collectors.joining(" "));
            screen.remark("  see them    " + ink.cyan("capsem diff " + id + " " + names));
            screen.remark("  bring them  " + ink.cyan("capsem apply " + id + " " + names));
        }
        if (!never.isEmpty()) {
            screen.remark(ink.yellow("capsem: ") + "left out:");
            ApplyReport.printProblems(screen, id, never);
        }
    }

    /// One word of a shell's.
    static String quoted(String path) {
        String line = Printable.line(path);
        boolean isPlain = line.matches("[A-Za-z0-9_./+@][A-Za-z0-9_./+@-]*");
        String word = line.startsWith("-") ? "./" + line : line;
        return isPlain ? line : "'" + word.replace("'", "'\\''") + "'";
    }
}
