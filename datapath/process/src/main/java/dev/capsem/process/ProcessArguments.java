package dev.capsem.process;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/// The command line of capsem-process, read by hand: a spare must be up in a blink.
///
/// @param panicLog where a bug that kills a thread is recorded
/// @param usualProfile where the service keeps the effective profile that most sandboxes get
/// @param isRecorded whether this run is what a start-up cache is made of
record ProcessArguments(
        Path instanceSocket, Path dist, Path home, Path panicLog, Path usualProfile, boolean isRecorded) {
    private static final String USAGE = "usage: capsem-process --instance-socket PATH [--dist DIR] [--home DIR]";

    static ProcessArguments parse(String[] args, Map<String, String> environment, Properties properties) {
        Optional<Path> instanceSocket = Optional.empty();
        Optional<Path> dist = path(properties.getProperty("capsem.dist"));
        Optional<Path> home = path(environment.get("CAPSEM_HOME"));
        for (int i = 0; i + 1 < args.length; i += 2) {
            Path value = Path.of(args[i + 1]).toAbsolutePath();
            switch (args[i]) {
                case "--instance-socket" -> instanceSocket = Optional.of(value);
                case "--dist" -> dist = Optional.of(value);
                case "--home" -> home = Optional.of(value);
                default -> throw new IllegalArgumentException("unknown option " + args[i] + "; " + USAGE);
            }
        }
        if (args.length % 2 != 0 || instanceSocket.isEmpty() || dist.isEmpty()) {
            throw new IllegalArgumentException(USAGE);
        }
        Path defaultHome = Path.of(properties.getProperty("user.home", "/"), ".capsem");
        Path runDir = path(environment.get("CAPSEM_RUN_DIR"))
                .orElse(home.orElse(defaultHome).resolve("run"));
        return new ProcessArguments(
                instanceSocket.get(),
                dist.get(),
                home.orElse(defaultHome),
                runDir.resolve("panics.log"),
                runDir.resolve("effective").resolve("default.json"),
                environment.containsKey("CAPSEM_AOT_TRAIN"));
    }

    private static Optional<Path> path(@Nullable String text) {
        return text == null || text.isEmpty()
                ? Optional.empty()
                : Optional.of(Path.of(text).toAbsolutePath());
    }
}
