package dev.capsem.cli;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.screen.Screen;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Runs what people run most, in one process, so that the start-up cache made from that process knows it. Says nothing,
/// and goes on when something fails: a host that cannot run sandboxes yet still trains the rest.
final class Training {
    private final CliContext context;

    Training(CliContext context) {
        this.context = context;
    }

    int run() {
        for (String words : List.of(
                "version",
                "--help",
                "list",
                "list --json",
                "status",
                "stats",
                "rules list",
                "approvals",
                "profiles list",
                "run -- true",
                "nonsense",
                "run --help")) {
            capsem(words);
        }
        String id = capsem("create").strip();
        if (!id.isEmpty()) {
            for (String words : List.of(
                    "list -q",
                    "list",
                    "info %s",
                    "exec %s true",
                    "exec --timeout 9 %s -- true",
                    "history %s",
                    "rm %s")) {
                capsem(words.replace("%s", id));
            }
        }
        return ExitCode.DONE;
    }

    private String capsem(String words) {
        var out = new ByteArrayOutputStream();
        var screen = new Screen(
                InputStream.nullInputStream(),
                out,
                OutputStream.nullOutputStream(),
                Screen.Terminals.NONE,
                context.environment());
        var silent = new CliContext(
                screen,
                context.connect(),
                context.environment(),
                context.directory(),
                context.dist(),
                context.random(),
                context.clock());
        new Capsem(silent).run(List.of(words.split(" ")));
        return out.toString(StandardCharsets.UTF_8);
    }
}
