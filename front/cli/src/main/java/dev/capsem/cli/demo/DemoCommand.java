package dev.capsem.cli.demo;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.command.PrintingCommand;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.SandboxService;
import dev.capsem.client.io.ServiceCallException;
import dev.capsem.wire.io.TaskScope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/// `capsem demo`
@Command(
        footer = {
            "",
            "Makes sandboxes of its own, tries to break out of one, lends it a project, lets a scripted",
            "agent talk to a world that it plays itself, offline, and deletes everything again. Exit code 0",
            "only if every claim it makes held; 1 names those that did not.",
            "",
            "Examples:",
            "  capsem demo"
        })
public final class DemoCommand extends PrintingCommand {
    public DemoCommand(CliContext context) {
        super(context);
    }

    @Override
    public int run() {
        SandboxService service = context.service();
        boolean startedByUs = !service.isRunning();
        Path scratch = makeScratch();
        var claims = new Claims(output.isJson() || output.isQuiet() ? silent() : context.screen());
        var tour = new DemoTour(service, claims, scratch, context.random());
        try {
            tour.run();
        } finally {
            cleanUp(service, tour, scratch, startedByUs);
        }
        if (output.isJson()) {
            output.print(context.screen(), claims.toJson());
        } else {
            claims.conclude(context.screen());
        }
        return claims.allHeld() ? ExitCode.DONE : ExitCode.NO;
    }

    private Screen silent() {
        return new Screen(
                context.screen().in(),
                java.io.OutputStream.nullOutputStream(),
                java.io.OutputStream.nullOutputStream(),
                Screen.Terminals.NONE,
                context.environment());
    }

    private static Path makeScratch() {
        try {
            return Files.createTempDirectory("capsem-demo").toRealPath();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /// All at once: each takes its time to end.
    private static void deleteAll(SandboxService service, List<String> sandboxes) {
        try (TaskScope scope = new TaskScope("demo-end", (_, _) -> {})) {
            List<Future<Boolean>> ends = new ArrayList<>();
            for (String sandbox : sandboxes) {
                ends.add(scope.fork(() -> delete(service, sandbox)));
            }
            for (Future<Boolean> end : ends) {
                end.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("a sandbox of the demo cannot be deleted", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// Whether it was there: a stage that failed may have left less behind than planned.
    private static boolean delete(SandboxService service, String sandbox) {
        try {
            service.delete(sandbox);
            return true;
        } catch (ServiceCallException gone) {
            return false;
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void cleanUp(SandboxService service, DemoTour tour, Path scratch, boolean stopService) {
        deleteAll(service, tour.sandboxes());
        tour.profileFile().ifPresent(profile -> {
            delete(profile);
            if (!stopService) {
                service.reload();
            }
        });
        if (stopService && service.isRunning()) {
            service.shutdown();
        }
        try (Stream<Path> files = Files.walk(scratch)) {
            for (Path path : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
