package dev.capsem.cli.record;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.CliProblem;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Printable;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.SandboxService;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.LogsReply;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `capsem logs`
@Command(
        footer = {
            "",
            "First the sandbox's console with its boot stages, then the log of its capsem-process.",
            "Without a sandbox: the log of the service, or with --host of another program of ours.",
            "",
            "Examples:",
            "  capsem logs lab --tail 50",
            "  capsem logs lab --process --follow",
            "  capsem logs lab --security --grep block",
            "  capsem logs",
            "  capsem logs --host process --grep error --tail 20"
        })
public final class LogsCommand extends PrintingCommand {
    private static final Duration FOLLOW_PAUSE = Duration.ofMillis(400);
    private static final int HOST_BYTES_MAX = 1_048_576;

    @Parameters(index = "0", arity = "0..1", paramLabel = "SANDBOX", description = "Name or id of the sandbox.")
    Optional<String> session = Optional.empty();

    @Option(names = "--tail", paramLabel = "N", description = "Only the last N lines of each.")
    Optional<Integer> tail = Optional.empty();

    @Option(
            names = {"-f", "--follow"},
            description = "Keep printing new lines until the sandbox is deleted or Ctrl-C.")
    boolean follow;

    @Option(names = "--serial", description = "Only the console.")
    boolean serialOnly;

    @Option(names = "--process", description = "Only the log of capsem-process.")
    boolean processOnly;

    @Option(names = "--security", description = "Only the security events.")
    boolean securityOnly;

    @Option(names = "--grep", paramLabel = "TEXT", description = "Only lines that contain this text, ignoring case.")
    Optional<String> grep = Optional.empty();

    @Option(
            names = "--host",
            paramLabel = "NAME",
            description = "The log of service, mcp, gateway, process, aggregator or builtin, of all sandboxes.")
    Optional<String> host = Optional.empty();

    public LogsCommand(CliContext context) {
        super(context);
    }

    /// The shown part of each log.
    private record Texts(String console, String process) {}

    @Override
    public int run() {
        if (output.isJson()) {
            printJson();
            return ExitCode.DONE;
        }
        Texts logs = fetch();
        print(last(matching(logs.console())));
        print(last(matching(logs.process())));
        if (follow) {
            follow(logs);
        }
        return ExitCode.DONE;
    }

    private void printJson() {
        if (follow) {
            throw CliProblem.usage("--json and --follow exclude each other", "choose one");
        }
        if (session.isEmpty()) {
            output.print(context.screen(), Json.object().put("logs", last(matching(ofHost()))));
            return;
        }
        LogsReply logs = context.service().logs(session.get());
        output.print(
                context.screen(),
                new LogsReply(
                                last(matching(logs.serialLogs())),
                                last(matching(logs.processLogs())),
                                last(matching(logs.securityLogs())))
                        .toJson());
    }

    /// The logs that were asked for, nothing for the others. The service's log counts as one of a process.
    private Texts fetch() {
        if (session.isEmpty()) {
            return new Texts("", ofHost());
        }
        if (host.isPresent()) {
            throw CliProblem.usage("--host is for all sandboxes", "name a sandbox or a program, not both");
        }
        LogsReply logs = context.service().logs(session.get());
        if (securityOnly) {
            return new Texts("", logs.securityLogs());
        }
        return new Texts(processOnly ? "" : logs.serialLogs(), serialOnly ? "" : logs.processLogs());
    }

    private String ofHost() {
        if (host.isEmpty()) {
            return context.service().serviceLogs();
        }
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        String target = "/host-logs/" + ServiceClient.encode(host.get()) + "?max_bytes=" + HOST_BYTES_MAX;
        try (SandboxService.Download download = context.service().download(target)) {
            download.writeTo(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    private String matching(String text) {
        if (grep.isEmpty()) {
            return text;
        }
        String wanted = grep.get().toLowerCase(Locale.ROOT);
        return text.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).contains(wanted))
                .map(line -> line + "\n")
                .collect(Collectors.joining());
    }

    private void follow(Texts first) {
        Texts seen = first;
        boolean grows = true;
        while (grows) {
            pause();
            Texts now;
            try {
                // Asked before the logs are read, so that the last lines are shown too.
                grows = session.isEmpty()
                        || context.service().sandbox(session.get()).isLive();
                now = fetch();
            } catch (ServiceCallException gone) {
                return;
            }
            print(matching(LogGrowth.since(seen.console(), now.console())));
            print(matching(LogGrowth.since(seen.process(), now.process())));
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
