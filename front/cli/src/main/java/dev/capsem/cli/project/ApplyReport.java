package dev.capsem.cli.project;

import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyReply.PathProblem;
import java.util.List;

/// What `apply` did and did not do, for people.
final class ApplyReport {
    private ApplyReport() {}

    static void print(Screen screen, String id, ApplyReply reply, boolean quiet) {
        Ink ink = screen.errInk();
        if (!reply.refused().isEmpty()) {
            screen.remark(ink.red("capsem: ") + "nothing was applied, because of "
                    + Amounts.counted(reply.refused().size(), "path") + ":");
            printProblems(screen, id, reply.refused());
            return;
        }
        if (!quiet) {
            reply.applied().forEach(path -> screen.print(Printable.line(path)));
            screen.remark(ink.bold("capsem: ") + "applied "
                    + Amounts.counted(reply.applied().size(), "path"));
        }
        if (!reply.skipped().isEmpty()) {
            screen.remark(ink.yellow("capsem: ") + "held back:");
            printProblems(screen, id, reply.skipped());
        }
        if (!reply.failed().isEmpty()) {
            screen.remark(ink.red("capsem: ") + "could not be applied:");
            printProblems(screen, id, reply.failed());
        }
    }

    private static void printProblems(Screen screen, String id, List<PathProblem> problems) {
        for (PathProblem problem : problems) {
            screen.remark("  " + Printable.line(problem.path()) + ": " + Printable.line(problem.reason()));
            if (!problem.remedy().isEmpty()) {
                // Remedies are written for any sandbox: put this one's name in.
                screen.remark("    → " + Printable.line(problem.remedy().replaceAll("\\bID\\b", id)));
            }
        }
    }
}
