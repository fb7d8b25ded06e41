package dev.capsem.sandbox.workspace.git;

import dev.capsem.sandbox.workspace.launch.HostGit;
import dev.capsem.sandbox.workspace.tree.Anchor;
import dev.capsem.sandbox.workspace.tree.ApplyProblem;
import dev.capsem.sandbox.workspace.tree.FileType;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// Commits that were made inside come back through git: the objects go into a repository of ours, from there the user's
/// git fetches them, checked, into branches and tags of their own. No branch of the user's changes.
public final class Commits {
    private static final Path MODULES = Path.of("modules");
    private static final Path GIT = Path.of(".git");
    private static final int REPOSITORIES_MAX = 100;
    /// A commit with more parents than people look at.
    private static final int PARENTS_MAX = 8;
    private static final int DEPTH_MAX = 8;
    private static final int NAMES_TRIED_MAX = 100;
    /// A person looks at each of them.
    private static final int BRANCHES_MAX = 200;

    private final Path project;
    private final Path sessionDir;
    private final Anchor upper;
    private final HostGit git;

    public Commits(Path project, Path sessionDir, Anchor upper, HostGit git) {
        this.project = project;
        this.sessionDir = sessionDir;
        this.upper = upper;
        this.git = git;
    }

    /// A branch or tag inside whose commits the user does not have.
    ///
    /// @param branch its name; of a tag `tag: NAME`
    /// @param repository the git directory, relative to the project
    /// @param commit where it points
    public record Inside(Path repository, String branch, String commit) {}

    /// @param branch its name in the user's repository; of a tag `tags/NAME`
    /// @param count how many commits came with it
    public record Brought(Path repository, String branch, String commit, int count) {}

    /// @param gitDirectories what the walk of the changes found
    public List<Inside> inside(Set<Path> gitDirectories) {
        var found = new ArrayList<Inside>();
        eachRepository(gitDirectories, (path, guest) -> {
            Map<String, String> tips = newTips(path, guest);
            tips.entrySet().stream()
                    .limit(BRANCHES_MAX)
                    .forEach(tip -> found.add(new Inside(path, tip.getKey(), tip.getValue())));
        });
        return found;
    }

    /// Repositories whose branches are kept in a way that we do not read: what was committed there is not known.
    public List<ApplyProblem> unread(Set<Path> gitDirectories) {
        var problems = new ArrayList<ApplyProblem>();
        eachRepository(gitDirectories, (path, guest) -> {
            if (guest.hasReftable()) {
                problems.add(new ApplyProblem(
                        path,
                        "branches were written inside in git's reftable format, which apply does not read",
                        "bring them as a bundle: capsem exec ID -- git bundle create /root/all.bundle --all,"
                                + " then capsem cp ID:all.bundle . and git fetch all.bundle"));
            }
        });
        return problems;
    }

    /// @param inside what [#inside] found: commits made since do not come
    public void bringHome(List<Inside> inside, List<Brought> brought, List<ApplyProblem> problems) {
        Map<Path, Map<String, String>> byRepository = new TreeMap<>();
        inside.forEach(tip -> byRepository
                .computeIfAbsent(tip.repository(), _ -> new TreeMap<>())
                .put(tip.branch(), tip.commit()));
        byRepository.forEach((path, tips) -> {
            Optional<UserRepository> user = userRepository(path);
            if (user.isEmpty()) {
                problems.add(nobodyTakes(path));
                return;
            }
            open(path, directory -> {
                try {
                    bring(path, new GuestRepository(directory), user.get(), tips, brought, problems);
                } catch (IOException | UncheckedIOException failure) {
                    problems.add(new ApplyProblem(path, String.valueOf(failure.getMessage()), "see `capsem diff ID`"));
                }
            });
        });
    }

    private void bring(
            Path path,
            GuestRepository guest,
            UserRepository user,
            Map<String, String> tips,
            List<Brought> brought,
            List<ApplyProblem> problems)
            throws IOException {
        Path quarantine = sessionDir.resolve("commits.git");
        remove(quarantine);
        try {
            prepare(quarantine, user);
            guest.copyObjects(quarantine, git);
            for (Map.Entry<String, String> tip : tips.entrySet()) {
                HostGit.Result named = git.run(quarantine, "update-ref", source(tip.getKey()), tip.getValue());
                if (!named.succeeded()) {
                    problems.add(refused(path, tip.getKey(), named));
                    continue;
                }
                fetch(path, user, quarantine, tip, brought, problems);
            }
        } finally {
            remove(quarantine);
        }
    }

    /// The changes of a commit, as commands of `git fast-import`.
    public interface Contents {
        /// @param prefix of every path: the project may be a part of its repository
        void writeTo(OutputStream out, String prefix) throws IOException;
    }

    /// Makes one commit of changes on top of what the user has checked out, and of the branches inside its other
    /// parents; if the one branch inside says the same already, that is taken as it is.
    ///
    /// @param inside what [#inside] found
    public void branch(
            List<Inside> inside, Contents contents, Instant now, List<Brought> brought, List<ApplyProblem> problems) {
        Optional<UserRepository> user = UserRepository.of(project, git);
        if (user.isEmpty()) {
            problems.add(new ApplyProblem(
                    GIT,
                    "there is no git repository of yours to take a branch",
                    "make one with `git init`, or bring the files: capsem apply ID"));
            return;
        }
        Path quarantine = sessionDir.resolve("commits.git");
        try {
            remove(quarantine);
            prepare(quarantine, user.get());
            List<IOException> failures = new ArrayList<>();
            open(GIT, directory -> {
                try {
                    new GuestRepository(directory).copyObjects(quarantine, git);
                } catch (IOException failure) {
                    failures.add(failure);
                }
            });
            if (!failures.isEmpty()) {
                throw failures.getFirst();
            }
            var commit = new BranchCommit(quarantine, user.get(), git);
            if (commit.make(tips(inside), contents, sessionDir.getFileName().toString(), now)) {
                fetch(user.get(), quarantine, brought, problems);
            }
        } catch (IOException | UncheckedIOException failure) {
            problems.add(new ApplyProblem(GIT, String.valueOf(failure.getMessage()), "see `capsem diff ID`"));
        } finally {
            removeQuietly(quarantine);
        }
    }

    /// Where the branches inside point; tags and stashes are not what the work ended with.
    private static List<String> tips(List<Inside> inside) {
        return inside.stream()
                .filter(tip -> tip.repository().equals(GIT)
                        && !isTag(tip.branch())
                        && !tip.branch().equals("stash"))
                .map(Inside::commit)
                .distinct()
                .limit(PARENTS_MAX)
                .toList();
    }

    private void fetch(UserRepository user, Path quarantine, List<Brought> brought, List<ApplyProblem> problems) {
        String wished = "capsem/" + sessionDir.getFileName();
        HostGit.Result last = new HostGit.Result(1, new byte[0], "no name is free");
        for (int i = 1; i <= NAMES_TRIED_MAX; i++) {
            String name = i == 1 ? wished : wished + "-" + i;
            Optional<String> there = user.ref("refs/heads/" + name);
            if (there.isPresent() && !there.equals(user.refOf(quarantine, BranchCommit.REF))) {
                // Somebody may have worked on it: it stays as it is.
                continue;
            }
            last = user.fetch(quarantine, BranchCommit.REF, "refs/heads/" + name);
            if (last.succeeded()) {
                String commit = user.ref("refs/heads/" + name).orElse("");
                brought.add(new Brought(GIT, name, commit, user.commitsOnlyOn("refs/heads/" + name, "capsem/")));
                return;
            }
        }
        problems.add(refused(GIT, wished, last));
    }

    private static void removeQuietly(Path directory) {
        try {
            remove(directory);
        } catch (IOException left) {
            // The next one removes it first.
        }
    }

    private void prepare(Path quarantine, UserRepository user) throws IOException {
        Path objects = user.objects().orElseThrow(() -> new IOException("git does not say where its objects are"));
        HostGit.Result made = git.run(
                sessionDir,
                "init",
                "--quiet",
                "--bare",
                "--template=",
                "--object-format=" + user.objectFormat(),
                quarantine.toString());
        if (!made.succeeded()) {
            throw new IOException("git cannot make a repository in the session: " + made.complaint());
        }
        Path info = Files.createDirectories(quarantine.resolve("objects/info"));
        Files.write(info.resolve("alternates"), (objects.toRealPath() + "\n").getBytes(StandardCharsets.UTF_8));
        Optional<Path> shallow = user.shallow();
        if (shallow.isPresent()) {
            Files.copy(shallow.get(), quarantine.resolve("shallow"));
        }
    }

    private void fetch(
            Path path,
            UserRepository user,
            Path quarantine,
            Map.Entry<String, String> tip,
            List<Brought> brought,
            List<ApplyProblem> problems) {
        String prefix = "capsem/" + sessionDir.getFileName() + "/";
        String wished = prefix + branchName(tip.getKey());
        for (int i = 1; i <= NAMES_TRIED_MAX; i++) {
            String name = i == 1 ? wished : wished + "-" + i;
            String ref = (isTag(tip.getKey()) ? "refs/tags/" : "refs/heads/") + name;
            Optional<String> there = user.ref(ref);
            HostGit.Result result = user.fetch(quarantine, source(tip.getKey()), ref);
            if (result.succeeded()) {
                int count = user.commitsOnlyOn(ref, prefix);
                brought.add(new Brought(path, isTag(tip.getKey()) ? "tags/" + name : name, tip.getValue(), count));
                return;
            }
            if (there.isEmpty()) {
                problems.add(refused(path, tip.getKey(), result));
                return;
            }
            // Rewritten inside, or the user stands on it: the branch that is there stays as it is.
        }
        problems.add(
                new ApplyProblem(path, "there are " + NAMES_TRIED_MAX + " branches " + wished + "-N", "delete some"));
    }

    private ApplyProblem nobodyTakes(Path path) {
        Path there = project.resolve(path);
        return Files.exists(there, LinkOption.NOFOLLOW_LINKS)
                ? new ApplyProblem(
                        path,
                        "commits were made inside, but git does not work in your repository: "
                                + git.run(there.resolveSibling(""), "rev-parse", "--git-dir")
                                        .complaint(),
                        "run capsem as the user who owns it")
                : new ApplyProblem(
                        path,
                        "commits were made inside, but there is no git repository of yours to take them",
                        "make one with `git init`, then: capsem apply ID --commits");
    }

    private static ApplyProblem refused(Path path, String branch, HostGit.Result result) {
        return new ApplyProblem(
                path,
                "the commits of " + (isTag(branch) ? "" : "branch ") + branch + " cannot come back: "
                        + result.complaint(),
                "check them inside: capsem exec ID -- git fsck --strict");
    }

    /// The branches of the guest's whose commits the user's repository does not have.
    private Map<String, String> newTips(Path path, GuestRepository guest) {
        Map<String, String> tips = new TreeMap<>(guest.tips());
        if (!tips.isEmpty()) {
            userRepository(path).ifPresent(user -> {
                Set<String> missing = user.missing(Set.copyOf(tips.values()));
                tips.values().removeIf(commit -> !missing.contains(commit));
            });
        }
        // A branch that is checked out by its commit is one branch, not two.
        String detached = tips.getOrDefault("HEAD", "");
        if (tips.entrySet().stream()
                .anyMatch(tip -> !tip.getKey().equals("HEAD") && tip.getValue().equals(detached))) {
            tips.remove("HEAD");
        }
        return tips;
    }

    /// The user's repository at the same place: a git directory, or the working tree beside a file `.git`.
    private Optional<UserRepository> userRepository(Path path) {
        Path there = project.resolve(path);
        if (Files.isDirectory(there, LinkOption.NOFOLLOW_LINKS)) {
            return UserRepository.of(there, git);
        }
        return Files.isRegularFile(there, LinkOption.NOFOLLOW_LINKS) && path.endsWith(".git")
                ? UserRepository.of(there.resolveSibling(""), git)
                : Optional.empty();
    }

    private interface Visit {
        void repository(Path path, GuestRepository guest);
    }

    private void eachRepository(Set<Path> gitDirectories, Visit visit) {
        var paths = new ArrayList<Path>();
        // Only under git's own name, in its one spelling, which no clone and no archive of git's can bring: a directory
        // that merely looks
        // like a repository may have come with somebody's project, and git would obey its configuration.
        gitDirectories.stream().filter(path -> path.endsWith(".git")).sorted().forEach(path -> {
            paths.add(path);
            modules(path.resolve(MODULES), paths, 0);
        });
        for (Path path : paths.subList(0, Math.min(paths.size(), REPOSITORIES_MAX))) {
            open(path, directory -> visit.repository(path, new GuestRepository(directory)));
        }
    }

    /// Git keeps submodules' repositories in `modules`, each under the submodule's name, which may have slashes.
    private void modules(Path at, List<Path> paths, int depth) {
        open(at, directory -> {
            try {
                for (Path name : directory.names()) {
                    Path path = at.resolve(name);
                    if (Files.isRegularFile(project.resolve(path).resolve("HEAD"), LinkOption.NOFOLLOW_LINKS)) {
                        paths.add(path);
                        modules(path.resolve(MODULES), paths, depth + 1);
                    } else if (depth < DEPTH_MAX) {
                        modules(path, paths, depth + 1);
                    }
                }
            } catch (IOException closed) {
                // What cannot be read cannot come back.
            }
        });
    }

    private void open(Path path, Consumer<Anchor> work) {
        try {
            Optional<Anchor> opened = upper.descend(path);
            if (opened.isPresent()) {
                try (Anchor directory = opened.get()) {
                    if (directory.type() == FileType.DIRECTORY) {
                        work.accept(directory);
                    }
                }
            }
        } catch (IOException closed) {
            // What cannot be read cannot come back.
        }
    }

    private static boolean isTag(String tip) {
        return tip.startsWith(GuestRepository.TAG);
    }

    /// Its name in the repository of ours.
    private static String source(String tip) {
        return (isTag(tip) ? "refs/tags/" : "refs/heads/") + branchName(tip);
    }

    /// A name that git takes, whatever the guest called its branch or tag.
    public static String branchName(String tip) {
        String name = isTag(tip) ? tip.substring(GuestRepository.TAG.length()) : tip;
        String plain = name.replaceAll("[^\\p{L}\\p{N}/._+=#,-]", "-")
                .replaceAll("\\.{2,}", ".")
                .replaceAll("(?<=^|/)[.-]+|/+$|^/+|\\.(?=/|$)", "")
                .replaceAll("/{2,}", "/")
                .replaceAll("\\.lock(?=/|$)", "-lock");
        return plain.isEmpty() ? "branch" : plain;
    }

    private static void remove(Path directory) throws IOException {
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
