package dev.capsem.service.sandboxes;

import dev.capsem.service.http.Refusal;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.service.ProvisionRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/// Turns what a caller asked for into what a sandbox gets, or refuses it before anything exists.
final class ProvisionRules {
    static final String PROFILE_DEFAULT = "default";

    private static final Pattern PROFILE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
    /// The project's directory name becomes a mount point below `/root`.
    private static final Pattern PROJECT_NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._ +@-]{0,127}");

    private final ServiceSettings settings;
    private final Path home;

    ProvisionRules(ServiceSettings settings, Path home) {
        this.settings = settings;
        this.home = home;
    }

    SandboxSpec.Limits limits(Optional<Integer> memoryMb, Optional<Integer> cpus) {
        try {
            return new SandboxSpec.Limits(
                    memoryMb.orElse(settings.memoryMbDefault()),
                    cpus.orElse(settings.cpusDefault()),
                    SandboxSpec.Limits.PIDS_MAX_DEFAULT);
        } catch (IllegalArgumentException e) {
            throw new Refusal(
                    Refusal.Code.BAD_LIMIT, String.valueOf(e.getMessage()), "leave it out for the default", e);
        }
    }

    String profile(Optional<String> profileId) {
        String profile = profileId.orElse(PROFILE_DEFAULT);
        if (!PROFILE.matcher(profile).matches()) {
            throw new Refusal(Refusal.Code.BAD_PROFILE, "not a profile id", "leave it out for the default profile");
        }
        return profile;
    }

    Optional<SandboxSpec.Project> project(Optional<ProvisionRequest.ProjectMount> mount) {
        return mount.map(this::project);
    }

    private SandboxSpec.Project project(ProvisionRequest.ProjectMount mount) {
        Path source = realDirectory(mount.source());
        if (source.getNameCount() == 0 || home.startsWith(source) || source.startsWith(home)) {
            throw badProject(
                    "the project would show Capsem's own files to the guest", "choose a directory beside " + home);
        }
        String name = source.getFileName().toString();
        if (!PROJECT_NAME.matcher(name).matches()) {
            throw badProject(
                    "the project's name cannot be a mount point", "rename the directory or use a symlink-free copy");
        }
        return new SandboxSpec.Project(
                source,
                name,
                mount.rw() ? SandboxSpec.Project.Access.READ_WRITE : SandboxSpec.Project.Access.COPY_ON_WRITE);
    }

    private static Path realDirectory(String source) {
        try {
            Path path = Path.of(source);
            if (!path.isAbsolute() || !Files.isDirectory(path)) {
                throw badProject("the project is not a directory", "give the absolute path of a directory");
            }
            return path.toRealPath();
        } catch (InvalidPathException | IOException e) {
            throw badProject("the project cannot be read", "give the absolute path of a directory you may read");
        }
    }

    private static Refusal badProject(String message, String remedy) {
        return new Refusal(Refusal.Code.BAD_PROJECT, message, remedy);
    }
}
