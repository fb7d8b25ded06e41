package dev.capsem.sandbox.workspace.git;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Tells of repositories that git cannot use inside, because a part of them stays outside. Nothing more is lent for
/// it: a file that came with an archive may name another repository of the user's.
public final class GitReach {
    private static final int FILE_BYTES_MAX = 64 * 1024;
    private static final int WORKTREES_MAX = 100;
    private static final String POINTER = "gitdir:";

    private GitReach() {}

    /// One sentence for each, with what can be done.
    ///
    /// @param isCopy whether the guest gets a copy; else the directory itself
    public static List<String> troubles(Path project, boolean isCopy) {
        List<String> troubles = new ArrayList<>();
        Path git = project.resolve(".git");
        if (Files.isRegularFile(git, LinkOption.NOFOLLOW_LINKS)) {
            pointer(project, isCopy).ifPresent(troubles::add);
        }
        GitPlace.of(project).flatMap(place -> alternates(project, place)).ifPresent(troubles::add);
        if (Files.isDirectory(git, LinkOption.NOFOLLOW_LINKS)) {
            troubles.addAll(worktrees(project, git.resolve("worktrees")));
        }
        return List.copyOf(troubles);
    }

    private static Optional<String> pointer(Path project, boolean isCopy) {
        if (isCopy && BorrowedRepository.objects(project).isPresent()) {
            return Optional.empty();
        }
        String where = text(project.resolve(".git"))
                .replaceFirst("(?s)^" + POINTER, "")
                .strip();
        return Optional.of("git will not work inside: .git names " + shown(where) + ", outside of the project; "
                + (isCopy
                        ? "run `git worktree repair` there, or lend the repository's main working tree"
                        : "lend it without --rw, or lend the repository's main working tree"));
    }

    private static Optional<String> alternates(Path project, GitPlace place) {
        Path objects = place.objects();
        return text(objects.resolve("info/alternates"))
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .filter(line -> !isBelow(project, objects, line))
                .findFirst()
                .map(line -> "git will not work inside: the repository borrows objects from " + shown(line)
                        + ", outside of the project (git clone --shared or --reference); make it whole first: git"
                        + " repack -a -d && rm " + objects.resolve("info/alternates"));
    }

    private static boolean isBelow(Path project, Path from, String line) {
        try {
            return !Path.of(line).isAbsolute() && from.resolve(line).normalize().startsWith(project.normalize());
        } catch (InvalidPathException unclear) {
            return false;
        }
    }

    /// Worktrees that stand in the project and name it by a path that is another one inside.
    private static List<String> worktrees(Path project, Path list) {
        if (!Files.isDirectory(list)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(list)) {
            return all.limit(WORKTREES_MAX)
                    .map(entry -> text(entry.resolve("gitdir")).strip())
                    .filter(back -> back.startsWith(project + "/"))
                    .map(Path::of)
                    .filter(back -> text(back).startsWith(POINTER + " /"))
                    .map(back -> "git will not work inside in the worktree "
                            + shown(project.relativize(back.getParent()).toString())
                            + ", which names its repository by an absolute path; lend that worktree itself, or run `git"
                            + " worktree repair --relative-paths` (git 2.48) first")
                    .toList();
        } catch (IOException | InvalidPathException unreadable) {
            return List.of();
        }
    }

    private static String text(Path file) {
        if (!Files.isRegularFile(file)) {
            return "";
        }
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(FILE_BYTES_MAX), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            return "";
        }
    }

    /// A file of the project may say anything.
    private static String shown(String text) {
        String line = text.replaceAll("\\p{C}", "?");
        return line.length() > 200 ? line.substring(0, 200) + "…" : line;
    }
}
