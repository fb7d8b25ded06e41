package dev.capsem.service.sandboxes;

import dev.capsem.sandbox.workspace.git.GitIndex;
import dev.capsem.sandbox.workspace.git.GitPlace;
import dev.capsem.service.problem.ServiceProblem;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.FileVisitor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// Files of a project that hold credentials by their name. Those that git tracks are not among them: they are in the
/// history as well, and a file that is shown empty would be committed empty.
final class SecretFiles {
    static final int FOUND_MAX = 64;
    static final int ENTRIES_MAX = 200_000;

    private static final Pattern SECRET = Pattern.compile("\\.env(rc|\\..+)?|\\.(netrc|pypirc|npmrc|git-credentials)"
            + "|id_(rsa|dsa|ecdsa|ed25519)|.+\\.(pem|key|p12|pfx|jks|keystore)"
            + "|(credentials|secrets|service[-_]account.*)\\.(json|ya?ml|toml)");
    private static final Pattern EXAMPLE = Pattern.compile("\\.env\\.(example|sample|template|dist|defaults?|test)");

    /// What tools put there themselves, by the thousand.
    private static final Set<String> SKIPPED =
            Set.of(".git", "node_modules", "target", "build", "dist", "vendor", ".venv", "venv", ".tox", ".gradle");

    private SecretFiles() {}

    /// Relative to the project, in order. Throws [ServiceProblem] if the project is too large to be searched.
    static List<String> in(Path project) {
        GitIndex index = GitPlace.of(project).map(GitIndex::of).orElseGet(GitIndex::empty);
        Set<String> found = new TreeSet<>();
        try {
            Files.walkFileTree(project, search(project, index, found));
        } catch (IOException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.BAD_PROJECT,
                    "the project cannot be searched for files that hold credentials",
                    "check that you may read all of it");
        }
        if (found.size() > FOUND_MAX) {
            throw tooMany("more than " + FOUND_MAX + " files of the project look like credentials");
        }
        return List.copyOf(found);
    }

    static boolean isSecret(String name) {
        return SECRET.matcher(name).matches() && !EXAMPLE.matcher(name).matches();
    }

    private static FileVisitor<Path> search(Path project, GitIndex index, Set<String> found) {
        return new SimpleFileVisitor<>() {
            private int entries;

            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                boolean isSkipped = !directory.equals(project)
                        && SKIPPED.contains(directory.getFileName().toString());
                return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (++entries > ENTRIES_MAX) {
                    throw tooMany("the project has more than " + ENTRIES_MAX + " files to search for credentials");
                }
                if (isSecret(file.getFileName().toString())) {
                    // A link is shown as it is; what it leads to is what must not be seen.
                    Path real = attributes.isSymbolicLink() ? target(file) : file;
                    if (real.startsWith(project)
                            && Files.isRegularFile(real)
                            && !index.isTracked(project.relativize(real))) {
                        found.add(project.relativize(real).toString());
                    }
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException closed) {
                // The guest reads no more than the user does.
                return FileVisitResult.CONTINUE;
            }
        };
    }

    private static Path target(Path link) {
        try {
            return link.toRealPath();
        } catch (IOException leadsNowhere) {
            return link;
        }
    }

    private static ServiceProblem tooMany(String message) {
        return new ServiceProblem(
                ServiceProblem.Code.BAD_PROJECT, message, "show them all with --no-hide, or name a smaller directory");
    }
}
