package dev.capsem.service.sandboxes;

import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.SandboxSpec.Mount;
import dev.capsem.wire.service.ProvisionRequest;
import dev.capsem.wire.service.ProvisionRequest.HostMount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Decides what of the host a sandbox sees beside its project, or refuses it before anything exists.
final class HostView {
    static final int MOUNTS_MAX = 32;

    /// The kernel's own files, and those of running programs: nothing in them is a document.
    private static final List<Path> NEVER_SHOWN =
            List.of(Path.of("/proc"), Path.of("/sys"), Path.of("/dev"), Path.of("/run"), Path.of("/var/run"));

    /// Directories that the sandbox needs for itself.
    private static final List<Path> TAKEN = List.of(
            Path.of("/proc"),
            Path.of("/sys"),
            Path.of("/dev"),
            Path.of("/run"),
            Path.of("/etc"),
            Path.of("/bin"),
            Path.of("/sbin"),
            Path.of("/lib"),
            Path.of("/lib64"),
            Path.of("/usr"),
            Path.of("/var"));

    /// Their own contents stay, but something may be shown in them.
    private static final List<Path> KEPT =
            List.of(Path.of("/root"), Path.of("/tmp"), Path.of("/opt"), Path.of("/home"));

    /// What the launcher and its overlays take as a path.
    private static final Pattern PLAIN = Pattern.compile("/[^\\p{Cntrl}:,\\\\]{1,1023}");

    private final Path capsemHome;
    private final Path userHome;

    HostView(Path capsemHome, Path userHome) {
        this.capsemHome = capsemHome;
        this.userHome = userHome;
    }

    SandboxSpec.View of(ProvisionRequest request, Optional<SandboxSpec.Project> project) {
        if (request.mounts().size() > MOUNTS_MAX) {
            throw bad("more than " + MOUNTS_MAX + " paths are to be shown", "show a directory that holds several");
        }
        List<Mount> mounts = new ArrayList<>();
        for (HostMount wished : request.mounts()) {
            Mount mount = mount(wished);
            project.map(given -> Path.of("/root", given.name()))
                    .filter(place ->
                            place.startsWith(mount.target()) || mount.target().startsWith(place))
                    .ifPresent(place -> {
                        throw bad("the project is at " + place + " inside", "choose another place");
                    });
            boolean isCovered = mounts.stream()
                    .anyMatch(other -> other.target().startsWith(mount.target())
                            || mount.target().startsWith(other.target()));
            if (isCovered) {
                throw bad("two paths are to be shown at " + mount.target(), "choose another place for one of them");
            }
            mounts.add(mount);
        }
        List<String> hidden = request.hideSecrets()
                ? project.map(given -> SecretFiles.in(given.source())).orElse(List.of())
                : List.of();
        return new SandboxSpec.View(mounts, hidden);
    }

    private Mount mount(HostMount wished) {
        Path source = real(wished.source());
        requireShowable(source);
        Path target = target(wished, source);
        if (!PLAIN.matcher(source.toString()).matches()
                || !PLAIN.matcher(target.toString()).matches()) {
            throw bad("a path has characters that cannot be mounted", "use a path without : , and \\");
        }
        boolean isTaken = target.getNameCount() == 0
                || TAKEN.stream().anyMatch(taken -> target.startsWith(taken) || taken.startsWith(target));
        if (isTaken || KEPT.contains(target)) {
            throw bad(
                    target + " inside belongs to the sandbox itself",
                    "choose another place, for example: -v " + source + ":/mnt/" + source.getFileName());
        }
        return new Mount(source, target);
    }

    private static Path target(HostMount wished, Path source) {
        if (wished.target().isEmpty()) {
            // As it was named, not where its links lead: programs look for themselves under the name they know.
            Path named = Path.of(wished.source()).normalize();
            return named.startsWith("/") ? named : source;
        }
        try {
            Path target = Path.of(wished.target().get());
            if (target.isAbsolute() && target.equals(target.normalize())) {
                return target;
            }
        } catch (InvalidPathException e) {
            // Said below.
        }
        throw bad("the place inside is no plain absolute path", "write it like -v /opt/tool:/mnt/tool");
    }

    private void requireShowable(Path source) {
        boolean isOurs = capsemHome.startsWith(source) || source.startsWith(capsemHome);
        if (isOurs) {
            throw bad(
                    source + " would show Capsem's own files to the guest",
                    "name a file or directory beside " + capsemHome);
        }
        if (userHome.startsWith(source)) {
            throw bad(
                    source + " holds your whole home, with every key in it", "name the directory in it that is needed");
        }
        if (NEVER_SHOWN.stream().anyMatch(place -> source.startsWith(place) || place.startsWith(source))) {
            throw bad(source + " is no place for documents", "name a file or directory of yours");
        }
        if (!Files.isDirectory(source) && !Files.isRegularFile(source)) {
            throw bad(source + " is neither a file nor a directory", "sockets, pipes and devices are not shown");
        }
        if (!Files.isReadable(source)) {
            throw bad("you may not read " + source, "check its mode: ls -ld " + source);
        }
    }

    private static Path real(String written) {
        try {
            Path path = Path.of(written);
            if (path.isAbsolute()) {
                return path.toRealPath();
            }
        } catch (InvalidPathException | IOException e) {
            throw bad("a path that is to be shown cannot be found", "give the absolute path of a file or directory");
        }
        throw bad(written + " is no absolute path", "give the absolute path of a file or directory");
    }

    private static ServiceProblem bad(String message, String remedy) {
        return new ServiceProblem(ServiceProblem.Code.BAD_MOUNT, message, remedy);
    }
}
