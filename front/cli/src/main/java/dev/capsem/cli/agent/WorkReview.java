package dev.capsem.cli.agent;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.project.ApplyReport;
import dev.capsem.cli.project.DiffText;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Progress;
import dev.capsem.cli.screen.Screen;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyRequest;
import dev.capsem.wire.service.DiffReply;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;

/// What becomes of an agent's work: a person looks and decides, or it is kept. Nothing is lost by saying nothing.
final class WorkReview {
    private static final int ANSWER_BYTES_MAX = 1024;

    private final CliContext context;
    private final Screen screen;
    private final String id;
    private final DiffReply diff;
    private final boolean hasRepository;

    /// @param hasRepository whether a branch can be made
    WorkReview(CliContext context, String id, DiffReply diff, boolean hasRepository) {
        this.context = context;
        this.screen = context.screen();
        this.id = id;
        this.diff = diff;
        this.hasRepository = hasRepository;
    }

    /// Asks until there is an answer that ends it.
    ///
    /// @param keys what the person types, in lines
    void ask(InputStream keys) {
        boolean isOver = false;
        while (!isOver) {
            screen.err().print("  " + question());
            screen.err().flush();
            isOver = done(answer(keys));
        }
    }

    private String question() {
        Ink ink = screen.errInk();
        if (isNothing()) {
            return key(ink, "k", "eep") + key(ink, "d", "iscard") + "> ";
        }
        return key(ink, "r", "eview")
                + (hasRepository ? key(ink, "a", "pply as branch capsem/" + id) : "")
                + key(ink, "m", "erge")
                + key(ink, "k", "eep")
                + key(ink, "d", "iscard")
                + "> ";
    }

    private static String key(Ink ink, String letter, String rest) {
        return "[" + ink.bold(letter) + "]" + rest + " ";
    }

    private boolean isNothing() {
        return diff.changes().isEmpty() && diff.commits().isEmpty();
    }

    private boolean done(String answer) {
        return switch (answer) {
            case "r", "review" -> {
                DiffText.print(screen, diff.unified());
                screen.out().flush();
                yield false;
            }
            case "a", "apply" -> hasRepository && !isNothing() && bring(ApplyRequest.asBranch(), true);
            case "m", "merge" -> !isNothing() && bring(new ApplyRequest(List.of(), false), false);
            case "k", "keep", "" -> {
                keep();
                yield true;
            }
            case "d", "discard" -> {
                context.service().delete(id);
                screen.remark(id + " is gone; your project is as it was");
                yield true;
            }
            default -> false;
        };
    }

    private boolean bring(ApplyRequest request, boolean isBranch) {
        ApplyReply reply =
                Progress.during(screen, "applying", () -> context.service().apply(id, request));
        ApplyReport.print(screen, id, reply, false, isBranch);
        boolean isDone = reply.refused().isEmpty() && reply.failed().isEmpty();
        if (isDone) {
            stop();
        }
        return isDone;
    }

    /// Stops it, and says how to go on.
    void keep() {
        stop();
        Ink ink = screen.errInk();
        screen.remark("kept as " + ink.bold(id) + "; your project is as it was");
        if (!isNothing()) {
            screen.remark("  see it      " + ink.cyan("capsem diff " + id));
            if (hasRepository) {
                screen.remark("  as branch   " + ink.cyan("capsem apply " + id + " --branch"));
            }
            screen.remark("  bring back  " + ink.cyan("capsem apply " + id + " [PATH…]"));
        }
        screen.remark("  what it did " + ink.cyan("capsem timeline " + id));
        screen.remark("  discard     " + ink.cyan("capsem delete " + id));
    }

    private void stop() {
        Progress.during(screen, "stopping", () -> context.service().stop(id));
    }

    /// The first word of a line; `k` when nobody is there any more.
    private String answer(InputStream keys) {
        var line = new StringBuilder();
        try {
            for (int next = keys.read(); next != '\n' && next != '\r'; next = keys.read()) {
                if (next < 0) {
                    screen.remark("");
                    return "k";
                }
                if (line.length() < ANSWER_BYTES_MAX) {
                    line.append((char) next);
                }
            }
        } catch (IOException gone) {
            return "k";
        }
        return line.toString().strip().toLowerCase(Locale.ROOT);
    }
}
