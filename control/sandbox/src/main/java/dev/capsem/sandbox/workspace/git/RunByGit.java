package dev.capsem.sandbox.workspace.git;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Files of the project that the user's own git runs or reads: a hooks directory in the project, hooks that are links
/// into it, and whatever a setting of git's names (filters, aliases, included configuration).
///
/// @param files relative to the project
/// @param directories relative to the project: everything below them is meant
public record RunByGit(Set<Path> files, Set<Path> directories) {
    public RunByGit {
        files = Set.copyOf(files);
        directories = Set.copyOf(directories);
    }

    public static RunByGit nothing() {
        return new RunByGit(Set.of(), Set.of());
    }

    public static RunByGit of(Path project, UserRepository repository) {
        var files = new HashSet<Path>();
        var directories = new HashSet<Path>();
        Optional<UserRepository.Places> places = repository.places();
        if (places.isEmpty()) {
            return nothing();
        }
        Path top = places.get().top();
        Path common = real(places.get().common());
        for (Map.Entry<String, String> setting : repository.settings()) {
            if (setting.getKey().equalsIgnoreCase("core.hookspath")) {
                inside(project, top, setting.getValue()).ifPresent(directories::add);
            }
            for (String word : setting.getValue().split("[\\s'\"=;&|()<>]+")) {
                for (Path base : List.of(top, common)) {
                    inside(project, base, word).ifPresent(files::add);
                }
            }
        }
        hooks(project, common.resolve("hooks"), files);
        return new RunByGit(files, directories);
    }

    public boolean holds(Path path) {
        return files.contains(path) || directories.stream().anyMatch(path::startsWith);
    }

    private static void hooks(Path project, Path directory, Set<Path> files) {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (Stream<Path> hooks = Files.list(directory)) {
            for (Path hook : hooks.filter(Files::isSymbolicLink).toList()) {
                inside(project, directory, Files.readSymbolicLink(hook).toString())
                        .ifPresent(files::add);
                inside(project, directory, real(hook).toString()).ifPresent(files::add);
            }
        } catch (IOException unreadable) {
            // Hooks that cannot be read cannot be run either.
        }
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException dangling) {
            return path;
        }
    }

    private static Optional<Path> inside(Path project, Path base, String word) {
        try {
            Path path = base.resolve(word).normalize();
            return path.startsWith(project) && !path.equals(project)
                    ? Optional.of(project.relativize(path))
                    : Optional.empty();
        } catch (InvalidPathException noPath) {
            return Optional.empty();
        }
    }
}
