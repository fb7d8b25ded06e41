package dev.capsem.sandbox.workspace.git;

import dev.capsem.sandbox.workspace.launch.HostGit;
import dev.capsem.sandbox.workspace.tree.Change;
import dev.capsem.sandbox.workspace.tree.FileType;
import dev.capsem.sandbox.workspace.tree.PathText;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// A repository of the user's, asked through the host's git. Nothing in it was written by a guest.
///
/// @param directory a working tree, or a git directory
public record UserRepository(Path directory, HostGit git) {
    /// The repository that holds this directory, if any does.
    public static Optional<UserRepository> of(Path directory, HostGit git) {
        boolean isInside = isBelowGit(directory)
                && git.run(directory, "rev-parse", "--git-dir").succeeded();
        return isInside ? Optional.of(new UserRepository(directory, git)) : Optional.empty();
    }

    /// Most projects without git are told apart without starting a process.
    private static boolean isBelowGit(Path directory) {
        for (Path at = directory.toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at.resolve(".git")) || Files.exists(at.resolve("HEAD"))) {
                return true;
            }
        }
        return false;
    }

    /// The content of a blob as git would check it out.
    public Optional<byte[]> blob(String name, Path path) {
        HostGit.Result result = git.run(directory, "cat-file", "--filters", "--path=" + path, name);
        return result.succeeded() ? Optional.of(result.output()) : Optional.empty();
    }

    /// Files that git does not track and does not ignore; empty when git cannot say.
    public Optional<Set<Path>> untracked() {
        HostGit.Result result = git.run(directory, "ls-files", "-z", "--others", "--exclude-standard");
        if (!result.succeeded()) {
            return Optional.empty();
        }
        var paths = new HashSet<Path>();
        for (String name : new String(result.output(), StandardCharsets.UTF_8).split("\0")) {
            if (!name.isEmpty()) {
                paths.add(Path.of(name));
            }
        }
        return Optional.of(paths);
    }

    /// Which of these changes git ignores, by the ignore files of the user's own tree: a guest that changes them hides
    /// nothing. What git tracks it does not ignore.
    public Set<Path> ignored(Collection<Change> changes) {
        List<Path> submodules = GitPlace.of(directory)
                .map(place -> GitIndex.of(place).submodules())
                .orElse(List.of());
        // Git does not look behind a link of the user's, where the guest has a directory now.
        List<Path> links = changes.stream()
                .filter(change -> change.before()
                        .filter(facts -> facts.type() == FileType.SYMLINK)
                        .isPresent())
                .map(Change::path)
                .toList();
        Map<Path, List<Change>> byRepository = new TreeMap<>();
        for (Change change : changes) {
            Path path = change.path();
            if (links.stream().anyMatch(link -> path.startsWith(link) && !path.equals(link))) {
                continue;
            }
            Path owner = submodules.stream()
                    .filter(submodule -> path.startsWith(submodule) && !path.equals(submodule))
                    .findFirst()
                    .orElse(Path.of(""));
            byRepository.computeIfAbsent(owner, _ -> new ArrayList<>()).add(change);
        }
        var ignored = new HashSet<Path>();
        byRepository.forEach((owner, own) -> ignored.addAll(ignoredIn(owner, own)));
        return ignored;
    }

    private Set<Path> ignoredIn(Path owner, List<Change> changes) {
        Path root = directory.resolve(owner);
        if (!owner.toString().isEmpty() && !Files.exists(root.resolve(".git"))) {
            return new HashSet<>();
        }
        Map<String, Path> asked = new LinkedHashMap<>();
        for (Change change : changes) {
            Path inside = owner.toString().isEmpty() ? change.path() : owner.relativize(change.path());
            String name = new String(PathText.bytes(inside), StandardCharsets.ISO_8859_1);
            asked.put(change.isDirectory() ? name + "/" : name, change.path());
        }
        HostGit.Result result = git.run(
                root,
                out -> out.write((String.join("\0", asked.keySet()) + "\0").getBytes(StandardCharsets.ISO_8859_1)),
                "check-ignore",
                "-z",
                "--stdin");
        var ignored = new HashSet<Path>();
        if (result.succeeded()) {
            for (String name : new String(result.output(), StandardCharsets.ISO_8859_1).split("\0")) {
                Optional.ofNullable(asked.get(name)).ifPresent(ignored::add);
            }
        }
        return ignored;
    }

    /// Which of these objects it does not have.
    Set<String> missing(Collection<String> names) {
        HostGit.Result result = git.run(
                directory,
                out -> out.write((String.join("\n", names) + "\n").getBytes(StandardCharsets.US_ASCII)),
                "cat-file",
                "--batch-check=%(objectname)");
        var missing = new HashSet<String>();
        result.text().lines().filter(line -> line.endsWith(" missing")).forEach(line -> {
            missing.add(line.substring(0, line.indexOf(' ')));
        });
        return result.succeeded() ? missing : new HashSet<>(names);
    }

    Optional<String> ref(String name) {
        HostGit.Result result = git.run(directory, "rev-parse", "--verify", "--quiet", name);
        return result.succeeded() ? Optional.of(result.text()) : Optional.empty();
    }

    /// The same in another repository.
    Optional<String> refOf(Path repository, String name) {
        return new UserRepository(repository, git).ref(name);
    }

    /// How many commits a branch or tag has that no other branch, tag or remote of the user's has.
    int commitsOnlyOn(String ref, String prefix) {
        HostGit.Result result = git.run(
                directory,
                "rev-list",
                "--count",
                ref,
                "--not",
                "--exclude=refs/heads/" + prefix + "*",
                "--exclude=refs/tags/" + prefix + "*",
                "--all");
        return result.succeeded() ? Integer.parseInt(result.text()) : 0;
    }

    /// Takes a branch or tag from another repository, checked object by object; an existing branch moves only forward,
    /// and never while it is checked out; an existing tag does not move.
    HostGit.Result fetch(Path from, String source, String target) {
        return git.run(
                directory,
                "fetch",
                "--quiet",
                "--no-tags",
                "--no-write-fetch-head",
                "--no-recurse-submodules",
                "--no-auto-maintenance",
                from.toString(),
                source + ":" + target);
    }

    Optional<Path> objects() {
        HostGit.Result result = git.run(directory, "rev-parse", "--git-path", "objects");
        return result.succeeded() ? Optional.of(directory.resolve(result.text())) : Optional.empty();
    }

    String objectFormat() {
        HostGit.Result result = git.run(directory, "rev-parse", "--show-object-format");
        return result.succeeded() ? result.text() : "sha1";
    }

    /// The commits behind which a shallow clone has nothing.
    Optional<Path> shallow() {
        HostGit.Result result = git.run(directory, "rev-parse", "--git-path", "shallow");
        return result.succeeded()
                ? Optional.of(directory.resolve(result.text())).filter(Files::isRegularFile)
                : Optional.empty();
    }

    /// @param top of the working tree
    /// @param common the directory that holds hooks and configuration
    record Places(Path top, Path common) {}

    Optional<Places> places() {
        HostGit.Result result = git.run(directory, "rev-parse", "--show-toplevel", "--git-common-dir");
        List<String> lines = result.text().lines().toList();
        return result.succeeded() && lines.size() == 2
                ? Optional.of(new Places(
                        Path.of(lines.get(0)), directory.resolve(lines.get(1)).normalize()))
                : Optional.empty();
    }

    /// Every setting that counts here, whoever made it.
    List<Map.Entry<String, String>> settings() {
        HostGit.Result result = git.run(directory, "config", "--list", "-z");
        var settings = new ArrayList<Map.Entry<String, String>>();
        for (String setting : new String(result.output(), StandardCharsets.UTF_8).split("\0")) {
            int end = setting.indexOf('\n');
            if (end > 0) {
                settings.add(Map.entry(setting.substring(0, end), setting.substring(end + 1)));
            }
        }
        return settings;
    }
}
