package dev.capsem.service.commands;

import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.sandboxes.EnvironmentRules;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.service.ExecRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Which commands may be sent to a sandbox, and how they look on the way there.
final class CommandRules {
    /// Leaves room for environment and framing in one guest frame of 2 MiB.
    static final int COMMAND_BYTES_MAX = 1_048_576;
    /// Longer than any job that is meant to end; a day more is a mistake in the unit.
    static final int TIMEOUT_SECS_MAX = 7 * 24 * 3_600;

    static final int CWD_BYTES_MAX = 4_096;
    static final int WINDOW_MAX = 10_000;
    private static final Set<String> SOURCES = Set.of("api", "cli", "mcp", "run", "shell");

    private CommandRules() {}

    /// @param keepBytesMax 0 = stream everything
    static ServiceMessage.Exec check(
            ExecRequest request, Optional<ServiceMessage.Terminal> terminal, boolean stdin, long keepBytesMax) {
        checkWords(request.command());
        String cwd = request.cwd().orElse("");
        checkCwd(cwd);
        terminal.ifPresent(window -> {
            if (window.rows() < 1
                    || window.columns() < 1
                    || window.rows() > WINDOW_MAX
                    || window.columns() > WINDOW_MAX) {
                throw refused("a window has 1 to " + WINDOW_MAX + " rows and columns", "send its real size");
            }
        });
        return new ServiceMessage.Exec(
                request.command(),
                cwd,
                EnvironmentRules.check(request.env()),
                stdin,
                terminal,
                timeout(request.timeoutSecs()),
                source(request.source()),
                Optional.empty(),
                keepBytesMax);
    }

    private static void checkWords(ExecRequest.Command command) {
        if (command instanceof ExecRequest.Command.Shell(String line) && line.isBlank()) {
            throw refused("the command is empty", "say what to run");
        }
        List<String> argv = command.argv();
        long bytes = 0;
        for (String word : argv) {
            if (word.indexOf('\0') >= 0) {
                throw refused("the command holds a NUL character", "remove it; binary input goes to stdin");
            }
            bytes += word.getBytes(StandardCharsets.UTF_8).length;
        }
        if (bytes > COMMAND_BYTES_MAX) {
            throw refused(
                    "the command is longer than " + COMMAND_BYTES_MAX + " bytes",
                    "write it to a file of the sandbox and run that");
        }
        if (argv.getFirst().isBlank()) {
            throw refused("the command is empty", "say what to run");
        }
    }

    private static void checkCwd(String cwd) {
        if (cwd.isEmpty()) {
            return;
        }
        if (!cwd.startsWith("/") || cwd.indexOf('\0') >= 0 || cwd.length() > CWD_BYTES_MAX) {
            throw refused("cwd must be an absolute path", "use a path such as /root/project");
        }
    }

    private static Optional<Duration> timeout(Optional<Integer> seconds) {
        return seconds.map(value -> {
            if (value < 1 || value > TIMEOUT_SECS_MAX) {
                throw new ServiceProblem(
                        ServiceProblem.Code.BAD_LIMIT,
                        "timeout_secs must be 1 to " + TIMEOUT_SECS_MAX + ", not " + value,
                        "leave it out for no limit");
            }
            return Duration.ofSeconds(value);
        });
    }

    private static String source(Optional<String> source) {
        return source.map(value -> {
                    if (!SOURCES.contains(value)) {
                        throw refused("source must be one of api, cli, mcp, run, shell", "leave it out for api");
                    }
                    return value;
                })
                .orElse("api");
    }

    private static ServiceProblem refused(String message, String remedy) {
        return new ServiceProblem(ServiceProblem.Code.BAD_COMMAND, message, remedy);
    }
}
