package dev.capsem.cli.project;

import dev.capsem.cli.screen.Amounts;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyReply.PathProblem;
import java.util.List;

/// The report of `apply`, for people.
public final class ApplyReport {
    private ApplyReport() {}

    static void print(Screen screen, String id, ApplyReply reply, boolean quiet) {
        print(screen, id, reply, quiet, false);
    }

    /// @param isBranch whether no file was to be touched
    public static void print(Screen screen, String id, ApplyReply reply, boolean quiet, boolean isBranch) {
        Ink ink = screen.errInk();
        if (!reply.refused().isEmpty()) {
            screen.remark(ink.red("capsem: ") + "nothing was applied, because of "
                    + Amounts.counted(reply.refused().size(), "path") + ":");
            printProblems(screen, id, reply.refused());
            return;
        }
        if (isBranch) {
            printBranch(screen, id, reply);
        } else if (!quiet) {
            reply.applied().forEach(path -> screen.print(Printable.line(path)));
            screen.remark(ink.bold("capsem: ") + "applied "
                    + Amounts.counted(reply.applied().size(), "path")
                    + (reply.merged().isEmpty()
                            ? ""
                            : ", merged with yours: " + Printable.line(String.join(", ", reply.merged()))));
            printBranches(screen, reply.branches());
            if (reply.ignored() > 0) {
                screen.remark("  left out: " + Amounts.counted(reply.ignored(), "ignored file")
                        + "; to bring them too: capsem apply " + id + " --ignored");
            }
        }
        reply.kept().ifPresent(kept -> {
            screen.remark(ink.bold("capsem: ") + "what you had before is kept; to have it back:");
            screen.remark("  "
                    + ink.cyan("cp -a " + HeldPaths.quoted(kept.directory() + "/.") + " "
                            + HeldPaths.quoted(kept.project())));
        });
        HeldPaths.print(screen, id, reply.skipped(), reply.held());
        if (!reply.failed().isEmpty()) {
            screen.remark(ink.red("capsem: ") + "could not be applied:");
            printProblems(screen, id, reply.failed());
        }
    }

    private static void printBranch(Screen screen, String id, ApplyReply reply) {
        for (ApplyReply.Branch branch : reply.branches()) {
            screen.remark("branch " + screen.errInk().bold(Printable.line(branch.branch()))
                    + "; your own branch and working tree are as they were");
        }
        if (reply.branches().isEmpty() && reply.failed().isEmpty()) {
            screen.remark("there is nothing that your own commit does not have");
        }
        if (reply.ignored() > 0) {
            screen.remark("  left out: " + Amounts.counted(reply.ignored(), "ignored file") + "; they stay in " + id);
        }
    }

    private static void printBranches(Screen screen, List<ApplyReply.Branch> branches) {
        Ink ink = screen.errInk();
        for (ApplyReply.Branch branch : branches) {
            String where = branch.repository().equals(".git") ? "" : " in " + Printable.line(branch.repository());
            String name = Printable.line(branch.branch());
            screen.remark(ink.bold("capsem: ")
                    + Amounts.counted(branch.commits(), "commit")
                    + (name.startsWith("tags/") ? " on tag " : " on branch ")
                    + ink.bold(name)
                    + where);
            screen.remark("  see them    " + ink.cyan("git log --oneline HEAD.." + name));
            screen.remark(
                    "  take them   " + ink.cyan("git merge " + name) + "   (git stash first, if the files came too)");
        }
    }

    static void printProblems(Screen screen, String id, List<PathProblem> problems) {
        for (PathProblem problem : problems) {
            screen.remark("  " + Printable.line(problem.path()) + ": " + Printable.line(problem.reason()));
            if (!problem.remedy().isEmpty()) {
                // Remedies are written for any sandbox: put this one's name in.
                screen.remark("    → " + Printable.line(problem.remedy().replaceAll("\\bID\\b", id)));
            }
        }
    }
}
