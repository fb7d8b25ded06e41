package dev.capsem.cli.record;

import dev.capsem.cli.CapsemCommand;
import dev.capsem.cli.CliContext;
import dev.capsem.cli.CliProblem;
import dev.capsem.cli.ExitCode;
import dev.capsem.cli.OutputOptions;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.wire.io.ServiceCallException;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.LogsReply;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `capsem logs`
@Command(
        footer = {
            "",
            "First the sandbox's console with its boot stages, then the log of its capsem-process.",
            "Without a sandbox: the log of the service.",
            "",
            "Examples:",
            "  capsem logs lab --tail 50",
            "  capsem logs lab --process --follow",
            "  capsem logs"
        })
public final class LogsCommand implements CapsemCommand {
    private static final Duration FOLLOW_PAUSE = Duration.ofMillis(400);

    @Mixin
    OutputOptions output = new OutputOptions();

    @Parameters(index = "0", arity = "0..1", paramLabel = "SESSION", description = "The sandbox.")
    Optional<String> session = Optional.empty();

    @Option(names = "--tail", paramLabel = "N", description = "Only the last N lines of each.")
    Optional<Integer> tail = Optional.empty();

    @Option(
            names = {"-f", "--follow"},
            description = "Go on printing what is added, until the sandbox is gone or Ctrl-C.")
    boolean follow;

    @Option(names = "--serial", description = "Only the console.")
    boolean serialOnly;

    @Option(names = "--process", description = "Only the log of capsem-process.")
    boolean processOnly;

    private final CliContext context;

    public LogsCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public int run() {
        if (output.isJson() && follow) {
            throw CliProblem.usage("--json and --follow exclude each other", "choose one");
        }
        LogsReply logs = fetch();
        if (output.isJson()) {
            output.print(
                    context.screen(),
                    session.isPresent() ? logs.toJson() : Json.object().put("logs", logs.processLogs()));
            return ExitCode.DONE;
        }
        print(last(logs.serialLogs()));
        print(last(logs.processLogs()));
        if (follow) {
            follow(logs);
        }
        return ExitCode.DONE;
    }

    /// The logs that were asked for; empty text for the others. The service's log counts as a process log.
    private LogsReply fetch() {
        if (session.isEmpty()) {
            return new LogsReply("", context.service().serviceLogs());
        }
        LogsReply logs = context.service().logs(session.get());
        return new LogsReply(processOnly ? "" : logs.serialLogs(), serialOnly ? "" : logs.processLogs());
    }

    private void follow(LogsReply first) {
        LogsReply seen = first;
        while (true) {
            pause();
            LogsReply now;
            try {
                now = fetch();
            } catch (ServiceCallException gone) {
                return;
            }
            print(LogGrowth.since(seen.serialLogs(), now.serialLogs()));
            print(LogGrowth.since(seen.processLogs(), now.processLogs()));
            seen = now;
        }
    }

    private void print(String text) {
        if (text.isEmpty()) {
            return;
        }
        Screen screen = context.screen();
        screen.out().print(screen.terminals().out() ? Printable.text(text) : text);
        if (!text.endsWith("\n") && !follow) {
            screen.out().print("\n");
        }
        screen.out().flush();
    }

    private String last(String text) {
        if (tail.isEmpty()) {
            return text;
        }
        int start = text.length();
        for (int lines = tail.get(); lines > 0 && start > 0; lines--) {
            start = text.lastIndexOf('\n', start - 2) + 1;
        }
        return text.substring(start);
    }

    private static void pause() {
        try {
            Thread.sleep(FOLLOW_PAUSE);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while following", interrupted);
        }
    }
}
