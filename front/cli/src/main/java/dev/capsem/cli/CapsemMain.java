package dev.capsem.cli;

import dev.capsem.cli.command.CliContext;
import dev.capsem.cli.command.ExitCode;
import dev.capsem.cli.screen.CalledAs;
import dev.capsem.cli.screen.Screen;
import dev.capsem.client.SandboxService;
import dev.capsem.client.io.ServiceClient;
import dev.capsem.client.launch.ServiceLauncher;
import dev.capsem.wire.HomeLayout;
import dev.capsem.wire.io.PanicLog;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Composition root of `capsem`.
public final class CapsemMain {
    private CapsemMain() {}

    public static void main(String[] arguments) {
        Map<String, String> environment = System.getenv();
        Path dist = Path.of(System.getProperty("capsem.dist", "dist")).toAbsolutePath();
        List<String> words = new ArrayList<>(List.of(arguments));
        HomeLayout layout = HomeLayout.of(
                environment,
                Path.of(System.getProperty("user.home", "/")),
                Path.of(System.getProperty("java.io.tmpdir", "/tmp")));
        Optional<Path> socket = Optional.empty();
        if (words.size() >= 2 && words.getFirst().equals("--uds-path")) {
            words.removeFirst();
            socket = Optional.of(Path.of(words.removeFirst()).toAbsolutePath());
        }
        Thread.setDefaultUncaughtExceptionHandler(new Panics(layout.panicLog()));
        Screen screen = Screen.ofProcess(environment).calledAs(CalledAs.of(environment, dist));
        var context = new CliContext(
                screen,
                new Connection(layout, dist, socket, screen),
                environment,
                Path.of("").toAbsolutePath(),
                dist,
                new Random(),
                InstantSource.system());
        System.exit(new Capsem(context).run(words));
    }

    /// Loads what records a bug only when there is one.
    private record Panics(Path file) implements Thread.UncaughtExceptionHandler {
        @Override
        public void uncaughtException(Thread thread, Throwable failure) {
            new PanicLog("capsem", file, InstantSource.system()).uncaughtException(thread, failure);
            if (thread.getName().equals("main")) {
                System.exit(ExitCode.OURS);
            }
        }
    }

    /// Made at the first use: a command that needs no service loads no client.
    private static final class Connection implements Supplier<SandboxService> {
        private final HomeLayout layout;
        private final Path dist;
        private final Optional<Path> socket;
        private final Screen screen;
        private @Nullable SandboxService service;

        /// @param socket of a service that is there already
        Connection(HomeLayout layout, Path dist, Optional<Path> socket, Screen screen) {
            this.layout = layout;
            this.dist = dist;
            this.socket = socket;
            this.screen = screen;
        }

        @Override
        public synchronized SandboxService get() {
            SandboxService known = service;
            if (known == null) {
                known = socket.map(ServiceClient::connectingTo)
                        .orElseGet(() -> ServiceClient.starting(layout, ServiceLauncher.inDist(dist, layout)));
                if (socket.isEmpty()) {
                    new ServiceRenewal(layout.runDir().resolve("service.build"), build()).apply(known, screen::remark);
                }
                service = known;
            }
            return known;
        }

        /// As the service notes its own.
        private String build() {
            String digest = System.getProperty("capsem.build", "");
            return digest.isEmpty() ? "" : dist + " " + digest;
        }
    }
}
