package dev.capsem.cli.host;

import dev.capsem.cli.budget.BudgetStandings;
import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Progress;
import dev.capsem.client.SandboxService;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.StatusReply;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `capsem service`
@Command(
        footer = {
            "",
            "Other commands start the service by themselves. Sandboxes go on while it is stopped, and the",
            "next one finds them again. `service status` never starts it and exits with 1 when it does not",
            "run.",
            "",
            "Examples:",
            "  capsem service start",
            "  capsem service status --json",
            "  capsem service stop"
        })
public final class ServiceCommand extends PrintingCommand {
    private static final Duration STOP_WAIT_MAX = Duration.ofSeconds(10);
    private static final Duration STOP_POLL = Duration.ofMillis(20);

    enum Action {
        start,
        stop,
        status
    }

    @Parameters(index = "0", paramLabel = "start|stop|status", description = "What to do.")
    Action action = Action.status;

    public ServiceCommand(CliContext context) {
        super(context);
    }

    @Override
    protected boolean takeWords(List<String> words) {
        for (Action known : Action.values()) {
            if (words.equals(List.of(known.name()))) {
                action = known;
                return true;
            }
        }
        return false;
    }

    @Override
    public int run() {
        SandboxService service = context.service();
        return switch (action) {
            case start -> start(service);
            case stop -> stop(service);
            case status -> status(service);
        };
    }

    private int start(SandboxService service) {
        boolean already = service.isRunning();
        StatusReply status;
        try (var _ = Progress.of(context.screen(), "starting the service")) {
            status = service.status();
        }
        say(true, already ? "the service already runs, pid " + status.pid() : "the service runs, pid " + status.pid());
        return ExitCode.DONE;
    }

    private int stop(SandboxService service) {
        if (!service.isRunning()) {
            say(false, "the service does not run");
            return ExitCode.DONE;
        }
        try (var _ = Progress.of(context.screen(), "stopping the service")) {
            service.shutdown();
            awaitEnd(service);
        }
        say(false, "the service has stopped; sandboxes go on");
        return ExitCode.DONE;
    }

    private int status(SandboxService service) {
        if (!service.isRunning()) {
            say(false, "the service does not run; start it: capsem service start");
            return ExitCode.NO;
        }
        StatusReply status = service.status();
        if (output.isJson()) {
            output.print(context.screen(), status.toJson().put("running", true));
        } else {
            StatusCommand.print(context.screen(), status, BudgetStandings.NONE);
        }
        return ExitCode.DONE;
    }

    private void say(boolean running, String text) {
        if (output.isJson()) {
            output.print(context.screen(), Json.object().put("running", running));
        } else if (!output.isQuiet()) {
            context.screen().advise(text);
        }
    }

    private static void awaitEnd(SandboxService service) {
        long deadline = System.nanoTime() + STOP_WAIT_MAX.toNanos();
        while (service.isRunning()) {
            if (System.nanoTime() > deadline) {
                throw CliProblem.of(
                        "service_still_running",
                        "the service was told to stop but still answers",
                        "read service.log in the run directory");
            }
            try {
                Thread.sleep(STOP_POLL);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
