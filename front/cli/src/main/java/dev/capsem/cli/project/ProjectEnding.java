package dev.capsem.cli.project;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.SandboxService;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyRequest;
import dev.capsem.wire.service.DiffReply;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/// What becomes of a sandbox that was made for one command: it is deleted, unless it holds changes of a project that
/// nobody asked to discard.
public final class ProjectEnding {
    public enum Changes {
        /// There is no copy, or it is not wanted.
        DISCARD,
        KEEP,
        /// Bring them back when the command succeeded; keep them otherwise.
        APPLY
    }

    private final CliContext context;
    private final String id;
    private final Changes changes;
    private final boolean quiet;
    /// Ctrl-C and the command's end may meet: the first one finishes.
    private final AtomicBoolean finished = new AtomicBoolean();

    public ProjectEnding(CliContext context, String id, Changes changes, boolean quiet) {
        this.context = context;
        this.id = id;
        this.changes = changes;
        this.quiet = quiet;
    }

    /// Answers our exit code: the guest's, unless bringing changes back failed.
    public int finish(int guestExitCode) {
        if (!finished.compareAndSet(false, true)) {
            return guestExitCode;
        }
        SandboxService service = context.service();
        if (changes == Changes.DISCARD) {
            service.delete(id);
            return guestExitCode;
        }
        DiffReply diff;
        try {
            diff = Progress.during(context.screen(), "comparing", () -> service.diff(id, List.of()));
        } catch (ServiceCallException unknown) {
            keep("its changes could not be read (" + unknown.getMessage() + "), so it is kept");
            return guestExitCode;
        }
        if (diff.isEmpty()) {
            service.delete(id);
            return guestExitCode;
        }
        if (changes == Changes.APPLY && guestExitCode == 0) {
            return apply(diff) ? guestExitCode : ExitCode.OURS;
        }
        keep("your project is as it was; the copy has " + DiffSummary.ofAll(diff));
        return guestExitCode;
    }

    private boolean apply(DiffReply diff) {
        ApplyReply reply = Progress.during(
                context.screen(), "applying", () -> context.service().apply(id, new ApplyRequest(List.of(), false)));
        ApplyReport.print(context.screen(), id, reply, quiet);
        boolean whole = reply.refused().isEmpty()
                && reply.failed().isEmpty()
                && reply.skipped().isEmpty()
                && reply.ignored() == 0;
        if (whole) {
            context.service().delete(id);
        } else {
            keep("the copy has " + DiffSummary.ofAll(diff));
        }
        return reply.refused().isEmpty()
                && reply.failed().isEmpty()
                && reply.skipped().isEmpty();
    }

    private void keep(String why) {
        Progress.during(context.screen(), "stopping", () -> context.service().stop(id));
        if (quiet) {
            return;
        }
        Screen screen = context.screen();
        Ink ink = screen.errInk();
        screen.remark(ink.bold("capsem: ") + why);
        screen.remark("  see them    " + ink.cyan("capsem diff " + id));
        screen.remark("  bring back  " + ink.cyan("capsem apply " + id + " [PATH…]"));
        screen.remark("  discard     " + ink.cyan("capsem delete " + id));
    }
}
