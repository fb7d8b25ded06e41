package dev.capsem.cli.project;

import dev.capsem.cli.command.CliProblem;
import dev.capsem.wire.service.ProvisionRequest.ProjectMount;
import dev.capsem.wire.service.SandboxSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.random.RandomGenerator;
import picocli.CommandLine.Option;

/// Options that lend a project to a sandbox.
public final class ProjectChoice {
    private static final String SUFFIX_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";
    private static final int SUFFIX_LENGTH = 5;
    private static final int NAME_LENGTH_MAX = 40;

    @Option(
            names = "--workspace",
            paramLabel = "DIR",
            description = "Put this directory inside as /root/<its name>, copy-on-write: nothing outside changes.")
    Optional<Path> directory = Optional.empty();

    @Option(names = "--rw", description = "Bind the directory directly: the guest writes to your files.")
    boolean direct;

    /// The project as the service takes it; empty when none was named.
    public Optional<ProjectMount> mount(Path workingDirectory) {
        if (directory.isEmpty() && direct) {
            throw CliProblem.usage("--rw needs --workspace DIR", "name the directory to bind");
        }
        return directory.map(
                path -> new ProjectMount(real(workingDirectory.resolve(path)).toString(), direct));
    }

    public boolean isGiven() {
        return directory.isPresent() || direct;
    }

    /// Whether the guest gets a copy whose changes must not be lost.
    public boolean isCopyOnWrite() {
        return directory.isPresent() && !direct;
    }

    /// Where the project appears in the sandbox.
    public static String guestDirectory(String source) {
        return "/root/" + Path.of(source).getFileName();
    }

    /// A name for a sandbox that may have to be kept: the project's, and a few letters to tell runs apart.
    public static String keptName(String source, RandomGenerator random) {
        String base = String.valueOf(Path.of(source).getFileName()).replaceAll("[^A-Za-z0-9_-]", "-");
        String start = base.replaceFirst("^[^A-Za-z0-9]+", "");
        var name = new StringBuilder(start.isEmpty() ? "project" : start);
        name.setLength(Math.min(name.length(), NAME_LENGTH_MAX));
        name.append('-');
        for (int i = 0; i < SUFFIX_LENGTH; i++) {
            name.append(SUFFIX_LETTERS.charAt(random.nextInt(SUFFIX_LETTERS.length())));
        }
        return name.toString();
    }

    /// Whether a run kept this sandbox because it changed the copy of its project.
    public static boolean isKept(SandboxSummary sandbox) {
        return sandbox.persistent()
                && !sandbox.isLive()
                && sandbox.project().isPresent()
                && sandbox.id().matches(".+-[" + SUFFIX_LETTERS + "]{" + SUFFIX_LENGTH + "}");
    }

    private static Path real(Path path) {
        try {
            Path real = path.toRealPath();
            if (!Files.isDirectory(real)) {
                throw CliProblem.usage(path + " is not a directory", "--workspace takes the project's directory");
            }
            if (real.getFileName() == null) {
                throw CliProblem.usage("the whole file system is no project", "name a directory in it");
            }
            return real;
        } catch (IOException missing) {
            throw CliProblem.usage("there is no directory " + path, "--workspace takes the project's directory");
        }
    }
}
