package dev.capsem.cli.rules;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.screen.Ink;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ServiceError;
import java.time.Duration;
import java.util.Optional;

/// A command that a rule blocked in a sandbox that ends with it: says at once what `capsem rules why` would.
public final class BlockedRun {
    private static final int ATTEMPTS = 20;
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final CliContext context;

    public BlockedRun(CliContext context) {
        this.context = context;
    }

    /// The exit code.
    public int tell(String sandbox, ServiceError blocked) {
        Screen screen = context.screen();
        Ink ink = screen.errInk();
        screen.remark(ink.red("capsem: ") + Printable.text(blocked.error()) + ink.faint(" [" + blocked.code() + "]"));
        suggestion(sandbox)
                .ifPresent(found -> new ExplanationPrinter(screen::remark, ink).print(found, Optional.empty()));
        return ExitCode.BLOCKED;
    }

    /// The event is written behind the answer that told us, so that it may take a moment to be found.
    private Optional<ExplainedDecision.Suggestion> suggestion(String sandbox) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                return ExplainedDecision.fromJson(context.service()
                                .post("/rules/explain", Json.object().put("sandbox", sandbox)))
                        .suggestion();
            } catch (ServiceCallException notYet) {
                pause();
            }
        }
        return Optional.empty();
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
