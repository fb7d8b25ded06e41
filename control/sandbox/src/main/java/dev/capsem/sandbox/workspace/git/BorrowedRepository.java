package dev.capsem.sandbox.workspace.git;

import dev.capsem.sandbox.workspace.tree.WorkspaceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A worktree or a submodule as a project: its `.git` is a file that names a place outside of it. Inside it becomes a
/// git directory of its own, in the sandbox's layer: branches and index are copies, the objects are the user's, shown
/// read-only in effect, and nothing else of the other place is there.
public final class BorrowedRepository {
    /// Where the driver shows the user's objects, below the project's `.git`.
    private static final String OBJECTS = "capsem-objects";

    /// The states of a working tree: which commit, which files, what is half done.
    private static final List<String> OF_THE_TREE =
            List.of("HEAD", "index", "ORIG_HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE");

    private static final List<String> OF_THE_REPOSITORY = List.of("packed-refs", "shallow", "info/exclude");
    private static final Pattern WORKTREE = Pattern.compile("(?mi)^\\s*worktree\\s*=\\s*(.*)$");
    /// They say where the working tree is, or that more is said elsewhere.
    private static final Pattern PLACE = Pattern.compile("(?mi)^\\s*(?:worktree|bare|worktreeconfig)\\s*=.*\\R?");

    private static final int REFS_MAX = 50_000;

    private BorrowedRepository() {}

    /// The objects that the project needs from elsewhere; empty when it has its own, or no repository, or one that
    /// does not know of it.
    public static Optional<Path> objects(Path project) {
        return place(project).map(GitPlace::objects).filter(Files::isDirectory);
    }

    private static Optional<GitPlace> place(Path project) {
        return Files.isRegularFile(project.resolve(".git"), LinkOption.NOFOLLOW_LINKS)
                ? GitPlace.of(project).filter(place -> pointsBack(place, project))
                : Optional.empty();
    }

    /// A file `.git` alone proves nothing: it may have come with an archive and name another repository of the user's.
    private static boolean pointsBack(GitPlace place, Path project) {
        try {
            Path real = project.toRealPath();
            Path pointer = place.gitDir().resolve("gitdir");
            if (Files.isRegularFile(pointer)) {
                Path back = place.gitDir().resolve(Files.readString(pointer).strip());
                return back.toRealPath().equals(real.resolve(".git"));
            }
            Matcher worktree =
                    WORKTREE.matcher(Files.readString(place.commonDir().resolve("config")));
            return worktree.find()
                    && place.gitDir()
                            .resolve(worktree.group(1).strip())
                            .toRealPath()
                            .equals(real);
        } catch (IOException | IllegalArgumentException unclear) {
            return false;
        }
    }

    /// Makes the git directory in the upper layer, before the sandbox first starts.
    ///
    /// @param guestId who the guest's root is on this host, when that is somebody else
    public static void make(Path project, Path upper, Optional<Integer> guestId) {
        Optional<GitPlace> place = place(project);
        if (place.isEmpty()) {
            return;
        }
        try {
            Path git = Files.createDirectories(upper.resolve(".git"));
            Files.createDirectories(git.resolve(OBJECTS));
            Files.createDirectories(git.resolve("refs/heads"));
            Path info = Files.createDirectories(git.resolve("objects/info"));
            Files.writeString(info.resolve("alternates"), "../" + OBJECTS + "\n");
            copy(place.get().gitDir(), git, OF_THE_TREE);
            copy(place.get().commonDir(), git, OF_THE_REPOSITORY);
            copyRefs(place.get().commonDir(), git);
            String config = Files.readString(place.get().commonDir().resolve("config"));
            Files.writeString(git.resolve("config"), PLACE.matcher(config).replaceAll("") + "[core]\n\tbare = false\n");
            if (guestId.isPresent()) {
                give(upper, guestId.get());
            }
        } catch (IOException | IllegalArgumentException failure) {
            throw new WorkspaceException(
                    WorkspaceException.Code.PROJECT_UNREADABLE,
                    "cannot copy the repository of " + project + ": " + failure.getMessage(),
                    "check it with `git status`, or lend another directory",
                    failure);
        }
    }

    private static void copy(Path from, Path to, List<String> names) throws IOException {
        for (String name : names) {
            if (Files.isRegularFile(from.resolve(name))) {
                Files.createDirectories(to.resolve(name).getParent());
                Files.copy(from.resolve(name), to.resolve(name));
            }
        }
    }

    private static void copyRefs(Path from, Path to) throws IOException {
        var names = new ArrayList<String>();
        try (Stream<Path> refs = Files.walk(from.resolve("refs"))) {
            refs.filter(ref -> Files.isRegularFile(ref, LinkOption.NOFOLLOW_LINKS))
                    .limit(REFS_MAX)
                    .forEach(ref -> names.add(from.relativize(ref).toString()));
        }
        copy(from, to, names);
    }

    private static void give(Path upper, int id) throws IOException {
        try (Stream<Path> all = Files.walk(upper)) {
            for (Path path : all.toList()) {
                Files.setAttribute(path, "unix:gid", id, LinkOption.NOFOLLOW_LINKS);
                Files.setAttribute(path, "unix:uid", id, LinkOption.NOFOLLOW_LINKS);
            }
        }
    }
}
