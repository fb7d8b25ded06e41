package dev.capsem.sandbox.workspace.git;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/// Where the repository of a directory of the user's is: read from the user's files, without running git.
///
/// @param gitDir what `.git` is or points to: HEAD and index are here
/// @param commonDir what the worktrees of one repository share: objects, branches, configuration
public record GitPlace(Path gitDir, Path commonDir) {
    private static final int POINTER_BYTES_MAX = 8 * 1024;
    private static final int CONFIG_BYTES_MAX = 1024 * 1024;
    private static final String POINTER = "gitdir:";

    /// Empty when the directory is not the top of a working tree.
    public static Optional<GitPlace> of(Path workTree) {
        Path git = workTree.resolve(".git");
        try {
            if (Files.isDirectory(git)) {
                return Optional.of(at(git));
            }
            if (!Files.isRegularFile(git)) {
                return Optional.empty();
            }
            String text = text(git, POINTER_BYTES_MAX);
            if (!text.startsWith(POINTER)) {
                return Optional.empty();
            }
            Path target = workTree.resolve(text.substring(POINTER.length()).strip());
            return Files.isDirectory(target) ? Optional.of(at(target.toRealPath())) : Optional.empty();
        } catch (IOException | InvalidPathException unreadable) {
            return Optional.empty();
        }
    }

    private static GitPlace at(Path gitDir) throws IOException {
        Path pointer = gitDir.resolve("commondir");
        Path common = Files.isRegularFile(pointer)
                ? gitDir.resolve(text(pointer, POINTER_BYTES_MAX).strip()).toRealPath()
                : gitDir;
        return new GitPlace(gitDir, common);
    }

    Path index() {
        return gitDir.resolve("index");
    }

    Path objects() {
        return commonDir.resolve("objects");
    }

    /// Whether its names of objects are SHA-256.
    public boolean isSha256() {
        try {
            return text(commonDir.resolve("config"), CONFIG_BYTES_MAX)
                    .lines()
                    .map(line -> line.replaceAll("\\s", ""))
                    .anyMatch("objectformat=sha256"::equalsIgnoreCase);
        } catch (IOException none) {
            return false;
        }
    }

    private static String text(Path file, int max) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(max), StandardCharsets.UTF_8);
        }
    }
}
