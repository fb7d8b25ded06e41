package dev.capsem.cli.command;

import dev.capsem.cli.screen.Screen;
import dev.capsem.client.SandboxService;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/// The surroundings of a command: everything that it may touch outside itself.
///
/// @param connect the service; not reached before the first call
/// @param directory the working directory
/// @param dist where our programs are
public record CliContext(
        Screen screen,
        Supplier<SandboxService> connect,
        Map<String, String> environment,
        Path directory,
        Path dist,
        RandomGenerator random,
        InstantSource clock) {

    public SandboxService service() {
        return connect.get();
    }
}
