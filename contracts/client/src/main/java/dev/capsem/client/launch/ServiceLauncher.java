package dev.capsem.client.launch;

import dev.capsem.wire.HomeLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Starts capsem-service in a session of its own, so that it outlives the terminal and the program that asked for it.
public final class ServiceLauncher {
    private static final Path SETSID = Path.of("/usr/bin/setsid");

    private final Path program;
    private final HomeLayout layout;

    public ServiceLauncher(Path program, HomeLayout layout) {
        this.program = program;
        this.layout = layout;
    }

    /// The program beside its siblings: `<dist>/bin/capsem-service`.
    public static ServiceLauncher inDist(Path dist, HomeLayout layout) {
        return new ServiceLauncher(dist.resolve("bin").resolve("capsem-service"), layout);
    }

    /// Empty when the program is not there to be started.
    public Optional<Process> start() {
        if (!Files.isExecutable(program)) {
            return Optional.empty();
        }
        try {
            createPrivate(layout.runDir());
            List<String> command = new ArrayList<>();
            if (Files.isExecutable(SETSID)) {
                command.add(SETSID.toString());
            }
            command.addAll(List.of(
                    program.toString(),
                    "--home",
                    layout.home().toString(),
                    "--uds-path",
                    layout.serviceSocket().toString()));
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().put("CAPSEM_RUN_DIR", layout.runDir().toString());
            builder.redirectInput(Path.of("/dev/null").toFile());
            builder.redirectErrorStream(true);
            builder.redirectOutput(ProcessBuilder.Redirect.appendTo(startLog().toFile()));
            return Optional.of(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Path program() {
        return program;
    }

    /// The service's output before its own log is open.
    public Path startLog() {
        return layout.runDir().resolve("service.out");
    }

    private static void createPrivate(Path directory) throws IOException {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
    }
}
