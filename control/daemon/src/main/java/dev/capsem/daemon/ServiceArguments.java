package dev.capsem.daemon;

import dev.capsem.wire.HomeLayout;
import java.nio.file.Path;
import java.util.Optional;

/// The options of the command line.
record ServiceArguments(Optional<Path> home, Optional<Path> socket) {
    static final String USAGE = """
            usage: capsem-service [--foreground] [--home DIR] [--uds-path SOCKET]
              --foreground      accepted for clarity: this program never leaves the foreground by itself
              --home DIR        instead of $CAPSEM_HOME or ~/.capsem
              --uds-path SOCKET instead of <run directory>/service.sock""";

    /// Empty when they make no sense.
    static Optional<ServiceArguments> parse(String[] arguments) {
        Optional<Path> home = Optional.empty();
        Optional<Path> socket = Optional.empty();
        for (int i = 0; i < arguments.length; i++) {
            boolean hasValue = i + 1 < arguments.length;
            switch (arguments[i]) {
                case "--foreground" -> {}
                case "--home" -> {
                    if (!hasValue) {
                        return Optional.empty();
                    }
                    home = Optional.of(Path.of(arguments[++i]));
                }
                case "--uds-path" -> {
                    if (!hasValue) {
                        return Optional.empty();
                    }
                    socket = Optional.of(Path.of(arguments[++i]));
                }
                default -> {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(new ServiceArguments(home, socket));
    }

    HomeLayout layout(HomeLayout byEnvironment) {
        HomeLayout chosen = home.map(byEnvironment::withHome).orElse(byEnvironment);
        return socket.map(path -> chosen.withServiceSocket(path.toAbsolutePath().normalize()))
                .orElse(chosen);
    }
}
