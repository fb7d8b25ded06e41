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

    /// What is shown of each log.
    private record Texts(String console, String process) {}

    @Override
    public int run() {
        if (output.isJson()) {
            printJson();
            return ExitCode.DONE;
        }
        Texts logs = fetch();
        print(last(logs.console()));
        print(last(logs.process()));
        if (follow) {
            follow(logs);
        }
        return ExitCode.DONE;
    }

    private void printJson() {
        if (follow) {
            throw CliProblem.usage("--json and --follow exclude each other", "choose one");
        }
        output.print(
                context.screen(),
                session.isPresent()
                        ? context.service().logs(session.get()).toJson()
                        : Json.object().put("logs", context.service().serviceLogs()));
    }

    /// The logs that were asked for, nothing for the others. The service's log counts as one of a process.
    private Texts fetch() {
        if (session.isEmpty()) {
            return new Texts("", context.service().serviceLogs());
        }
        LogsReply logs = context.service().logs(session.get());
        return new Texts(processOnly ? "" : logs.serialLogs(), serialOnly ? "" : logs.processLogs());
    }

    private void follow(Texts first) {
        Texts seen = first;
        while (true) {
            pause();
            Texts now;
            try {
                now = fetch();
            } catch (ServiceCallException gone) {
                return;
            }
            print(LogGrowth.since(seen.console(), now.console()));
            print(LogGrowth.since(seen.process(), now.process()));
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
