package dev.capsem.profiles.launch;

import dev.capsem.profiles.registry.HostClients;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/// The package managers of this host, asked for real.
public final class ClientCommands implements HostClients {
    private static final int OUTPUT_BYTES_MAX = 1024 * 1024;

    private final Path userHome;
    private final Duration patience;

    /// @param patience with one program; Maven and npm take seconds on a slow disk
    public ClientCommands(Path userHome, Duration patience) {
        this.userHome = userHome;
        this.patience = patience;
    }

    @Override
    public Optional<String> ask(List<String> command) {
        try {
            Path output = Files.createTempFile("capsem-ask", ".txt");
            try {
                return ask(command, output);
            } finally {
                Files.deleteIfExists(output);
            }
        } catch (IOException notInstalled) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /// Through a file, since a pipe that nobody drains would keep the program from ending.
    private Optional<String> ask(List<String> command, Path output) throws IOException, InterruptedException {
        // A directory that is always there: in one that was removed, Maven's script looks for its project for ever.
        Process process = new ProcessBuilder(command)
                .directory(Path.of("/").toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = false;
        try {
            ended = process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            if (!ended) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
        if (!ended) {
            return Optional.empty();
        }
        boolean usable = process.exitValue() == 0 && Files.size(output) <= OUTPUT_BYTES_MAX;
        return usable ? Optional.of(Files.readString(output)) : Optional.empty();
    }

    @Override
    public Optional<String> file(String path) {
        try {
            return Optional.of(Files.readString(userHome.resolve(path)));
        } catch (IOException absent) {
            return Optional.empty();
        }
    }

    @Override
    public List<String> names(String directory) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(userHome.resolve(directory))) {
            entries.forEach(entry -> names.add(String.valueOf(entry.getFileName())));
        } catch (IOException absent) {
            return List.of();
        }
        return names.stream().sorted().toList();
    }

    @Override
    public Optional<String> jarEntry(String jarPattern, String entry) {
        Path pattern = Path.of(jarPattern);
        try (DirectoryStream<Path> jars =
                Files.newDirectoryStream(pattern.resolveSibling(""), String.valueOf(pattern.getFileName()))) {
            for (Path jar : jars) {
                Optional<String> text = read(jar, entry);
                if (text.isPresent()) {
                    return text;
                }
            }
        } catch (IOException absent) {
            return Optional.empty();
        }
        return Optional.empty();
    }

    private static Optional<String> read(Path jar, String name) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            ZipEntry entry = file.getEntry(name);
            if (entry == null || entry.getSize() > OUTPUT_BYTES_MAX) {
                return Optional.empty();
            }
            try (InputStream in = file.getInputStream(entry)) {
                return Optional.of(new String(in.readNBytes(OUTPUT_BYTES_MAX), StandardCharsets.UTF_8));
            }
        }
    }
}
