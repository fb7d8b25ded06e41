package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.git.BorrowedRepository;
import dev.capsem.sandbox.workspace.git.Commits;
import dev.capsem.sandbox.workspace.git.GitIndex;
import dev.capsem.sandbox.workspace.git.GitPlace;
import dev.capsem.sandbox.workspace.git.RunByGit;
import dev.capsem.sandbox.workspace.git.UserRepository;
import dev.capsem.sandbox.workspace.launch.HostGit;
import dev.capsem.sandbox.workspace.tree.Anchor;
import dev.capsem.sandbox.workspace.tree.ApplyProblem;
import dev.capsem.sandbox.workspace.tree.Change;
import dev.capsem.sandbox.workspace.tree.Content;
import dev.capsem.sandbox.workspace.tree.FileFacts;
import dev.capsem.sandbox.workspace.tree.FileType;
import dev.capsem.sandbox.workspace.tree.GuestContents;
import dev.capsem.sandbox.workspace.tree.PathText;
import dev.capsem.sandbox.workspace.tree.WorkspaceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A project and what a sandbox made of it. Works on running and stopped sandboxes alike.
public final class ProjectWorkspace {
    private static final Path UPPER = Path.of("up", "project");
    /// `STORED_ID_BASE` of the launcher.
    private static final int GUEST_ROOT = 500_000;

    private final Path project;
    private final Path sessionDir;
    private final KeptShelf shelf;
    private final HostGit git = HostGit.ofThisUser();

    /// @param project the original directory
    /// @param sessionDir the session that holds `up/project` and `project.manifest`, named like the sandbox
    /// @param keptDir where copies go of what is overwritten
    public ProjectWorkspace(Path project, Path sessionDir, Path keptDir) {
        this.project = project;
        this.sessionDir = sessionDir;
        this.shelf = new KeptShelf(keptDir);
    }

    /// Which changes are meant.
    ///
    /// @param paths only these and what is below them; none for all
    /// @param ignored whether also what git ignores
    public record Choice(List<String> paths, boolean ignored) {
        public Choice {
            paths = List.copyOf(paths);
        }
    }

    /// Records what the project looks like. Once, before the sandbox starts.
    public void recordManifest() {
        recordManifest(Set.of());
    }

    /// @param hidden files that the guest does not see: no copy of them is kept
    public void recordManifest(Set<Path> hidden) {
        ProjectManifest manifest = ProjectManifest.of(project);
        Optional<GitPlace> place = GitPlace.of(project);
        Optional<Set<Path>> ofInterest =
                place.flatMap(_ -> UserRepository.of(project, git)).flatMap(UserRepository::untracked);
        new BaseContents(sessionDir)
                .record(project, manifest, place.map(GitIndex::of).orElseGet(GitIndex::empty), ofInterest, hidden);
        manifest.save(sessionDir);
        BorrowedRepository.make(project, sessionDir.resolve(UPPER), guestId());
    }

    /// As root the guest's root is somebody else, who must own what is in its layer.
    private Optional<Integer> guestId() {
        try {
            boolean isRoot = FileFacts.of(sessionDir).owner() == 0;
            return isRoot ? Optional.of(GUEST_ROOT) : Optional.empty();
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    public List<Change> changes(Choice choice) {
        return withLayers(List.of(), layers -> layers.find(choice).changes());
    }

    public ProjectDiff diff(Choice choice) {
        return withLayers(ProjectDiff.nothing(), layers -> {
            Chosen chosen = layers.find(choice);
            List<Commits.Inside> commits =
                    layers.commits().inside(chosen.found().gitDirectories());
            boolean isSha256 = GitPlace.of(project).filter(GitPlace::isSha256).isPresent();
            var patch = new FilePatch(layers.original, layers.guest, layers.origin, isSha256 ? "SHA-256" : "SHA-1");
            return ProjectDiff.of(chosen.changes(), patch, chosen.ignored(), commits)
                    .with(layers.waiting(chosen, choice), layers.digest(chosen, choice, commits));
        });
    }

    /// How changes come back.
    ///
    /// @param force whether to overwrite what moved on in the original since the sandbox was made
    /// @param as only if `diff` with the same choice would print this digest
    public record Terms(boolean force, Optional<String> as) {}

    /// Brings changes back, and commits with them unless paths were chosen.
    public ApplyOutcome apply(Choice choice, Terms terms) {
        return withLayers(ApplyOutcome.nothing(), layers -> {
            Chosen chosen = layers.find(choice);
            requireEachMatches(Selection.of(choice.paths()), chosen);
            if (layers.manifest.isEmpty() && !terms.force()) {
                throw ProjectManifest.missing(sessionDir);
            }
            List<Commits.Inside> commits =
                    layers.commits().inside(chosen.found().gitDirectories());
            if (terms.as().isPresent()) {
                requireAsRead(terms.as().get(), layers.digest(chosen, choice, commits));
            }
            Instant now = Instant.now();
            var kept = new KeptCopies(shelf.place(sessionDir.getFileName().toString(), now));
            ApplyOutcome outcome = new ProjectApply(
                            layers.original, layers.upper, layers.guest, layers.origin, kept, terms.force())
                    .apply(chosen.changes(), layers.waiting(chosen, choice))
                    .withIgnored(chosen.ignored());
            if (outcome.kept().isPresent()) {
                shelf.prune(now);
            }
            if (!outcome.applied().isEmpty()) {
                layers.remember(chosen.changes(), outcome);
            }
            return outcome.refused().isEmpty() && choice.paths().isEmpty()
                    ? layers.bringCommits(outcome, commits)
                    : outcome;
        });
    }

    /// Brings commits back and leaves the files.
    public ApplyOutcome applyCommits() {
        return withLayers(ApplyOutcome.nothing(), layers -> {
            ProjectChanges.Found found =
                    layers.find(new Choice(List.of(), true)).found();
            Set<Path> gitDirectories = found.gitDirectories();
            return layers.bringCommits(ApplyOutcome.nothing(), layers.commits().inside(gitDirectories))
                    .withFailed(layers.commits().unread(gitDirectories));
        });
    }

    /// Puts what [#apply] would write into a commit on top of the user's own, on a branch of its own, with the commits
    /// made inside as its other parents. No file, index or branch of the user's is touched.
    public ApplyOutcome applyBranch() {
        return withLayers(ApplyOutcome.nothing(), layers -> {
            var choice = new Choice(List.of(), false);
            Chosen chosen = layers.find(choice);
            if (layers.manifest.isEmpty()) {
                throw ProjectManifest.missing(sessionDir);
            }
            Instant now = Instant.now();
            HeldBack.Waiting waiting = layers.waiting(chosen, choice);
            var unused = new KeptCopies(shelf.place(sessionDir.getFileName().toString(), now));
            ProjectApply.Plan plan = new ProjectApply(
                            layers.original, layers.upper, layers.guest, layers.origin, unused, false)
                    .plan(chosen.changes(), waiting);
            boolean isRefused = !plan.refused().isEmpty();
            var outcome = new ApplyOutcome(
                    isRefused
                            ? List.of()
                            : plan.changes().stream().map(Change::path).toList(),
                    isRefused ? List.of() : List.copyOf(plan.merged().keySet()),
                    waiting.skipped(),
                    waiting.held(),
                    plan.refused(),
                    List.of(),
                    List.of(),
                    Optional.empty(),
                    chosen.ignored());
            if (isRefused) {
                return outcome;
            }
            var brought = new ArrayList<Commits.Brought>();
            var problems = new ArrayList<ApplyProblem>();
            layers.commits()
                    .branch(
                            layers.commits().inside(chosen.found().gitDirectories()),
                            new BranchContents(plan.changes(), plan.merged(), layers.upper, layers.guest),
                            now,
                            brought,
                            problems);
            return outcome.with(brought, problems);
        });
    }

    private static void requireAsRead(String read, String now) {
        if (!read.equals(now)) {
            throw new WorkspaceException(
                    WorkspaceException.Code.NOT_AS_READ,
                    "the changes are not those of digest " + read + ": something differs since it was printed, or diff"
                            + " was asked for other paths; nothing was applied",
                    "read them again with `capsem diff`, and give apply the same paths and --ignored, and the new digest");
        }
    }

    private static void requireEachMatches(Selection selection, Chosen chosen) {
        for (Path path : selection.paths()) {
            if (chosen.found().gitDirectories().stream().anyMatch(path::startsWith)) {
                throw new WorkspaceException(
                        WorkspaceException.Code.GIT_OWN,
                        "\"" + path + "\" belongs to git itself and never comes back as a file",
                        "commits come back as branches: `capsem apply ID --commits`");
            }
            if (chosen.changes().stream().noneMatch(change -> change.path().startsWith(path))) {
                throw Selection.noSuchChange(path.toString());
            }
        }
    }

    /// @param changes those of `found` that are meant
    /// @param ignored how many are left out because git ignores them
    private record Chosen(ProjectChanges.Found found, List<Change> changes, int ignored) {}

    /// Both sides, open, and what is known of how they came about.
    private final class Layers {
        private final Anchor original;
        private final Anchor upper;
        private final Optional<ProjectManifest> manifest;
        private final Optional<UserRepository> repository;
        private final BaseContents contents = new BaseContents(sessionDir);
        private final Origin origin;
        private final GuestContents guest;

        Layers(Anchor original, Anchor upper) {
            this.original = original;
            this.upper = upper;
            this.guest = new GuestContents(upper);
            this.manifest = ProjectManifest.loadIfUsable(sessionDir);
            this.repository = UserRepository.of(project, git);
            this.origin = new Origin(manifest, contents, repository, original);
        }

        /// What a person names is meant, ignored or not.
        Chosen find(Choice choice) {
            var selection = Selection.of(choice.paths());
            ProjectChanges.Found found = ProjectChanges.of(original, upper, origin, selection);
            if (choice.ignored() || repository.isEmpty() || found.changes().isEmpty()) {
                return new Chosen(found, found.changes(), 0);
            }
            Set<Path> ignored = repository.get().ignored(found.changes());
            List<Change> meant = found.changes().stream()
                    .filter(change -> !ignored.contains(change.path()) || selection.reaches(change.path()))
                    .toList();
            int left = (int) found.changes().stream()
                    .filter(change -> ignored.contains(change.path())
                            && !selection.reaches(change.path())
                            && !change.isDirectory())
                    .count();
            return new Chosen(found, meant, left);
        }

        HeldBack.Waiting waiting(Chosen chosen, Choice choice) throws IOException {
            Path real = project.toRealPath();
            var held = new HeldBack(
                    original,
                    upper,
                    guest,
                    repository.map(git -> RunByGit.of(real, git)).orElseGet(RunByGit::nothing));
            return (manifest.isPresent() ? held.withLinksOf(real, manifest.get()) : held)
                    .among(chosen.found().with(chosen.changes()), Selection.of(choice.paths()))
                    .and(commits().unread(chosen.found().gitDirectories()));
        }

        /// Commits come back only with all changes.
        String digest(Chosen chosen, Choice choice, List<Commits.Inside> commits) {
            return ChangeDigest.of(chosen.changes(), guest, choice.paths().isEmpty() ? commits : List.of());
        }

        Commits commits() {
            return new Commits(project, sessionDir, upper, git);
        }

        ApplyOutcome bringCommits(ApplyOutcome outcome, List<Commits.Inside> commits) {
            var brought = new ArrayList<Commits.Brought>();
            var problems = new ArrayList<ApplyProblem>();
            commits().bringHome(commits, brought, problems);
            return outcome.with(brought, problems);
        }

        /// What was brought back is what both sides begin with from now on.
        void remember(List<Change> changes, ApplyOutcome outcome) {
            ProjectManifest known = manifest.orElseGet(() -> ProjectManifest.of(project));
            var applied = new HashSet<>(outcome.applied());
            var merged = new HashSet<>(outcome.merged());
            for (Change change : changes) {
                if (applied.contains(change.path())) {
                    remember(known, change, merged.contains(change.path()));
                }
            }
            known.save(sessionDir);
        }

        private void remember(ProjectManifest known, Change change, boolean isMerged) {
            try {
                Optional<Anchor> opened = original.descend(change.path());
                if (opened.isEmpty()) {
                    known.remove(change.path());
                    return;
                }
                try (Anchor now = opened.get()) {
                    var entry = new ProjectManifest.Entry(now.facts(), base(change, now, isMerged));
                    // A merged file is not what the guest has: the next comparison looks at the content.
                    known.put(change.path(), isMerged ? entry.ofNoFile() : entry);
                }
            } catch (IOException closed) {
                known.remove(change.path());
            }
        }

        /// What was written; where it was merged, the guest's part in it.
        private ContentAtCreate base(Change change, Anchor now, boolean isMerged) throws IOException {
            if (change.link().isPresent()) {
                return contents.keep(PathText.bytes(change.link().get()));
            }
            if (!change.isNow(FileType.REGULAR) || now.type() != FileType.REGULAR) {
                return new ContentAtCreate.Unknown();
            }
            Optional<byte[]> content = isMerged
                    ? guest.bytes(change.path(), BaseContents.STORED_FILE_BYTES_MAX)
                    : Content.bytes(now, BaseContents.STORED_FILE_BYTES_MAX);
            return content.isPresent() ? contents.keep(content.get()) : new ContentAtCreate.Unknown();
        }
    }

    private interface Work<T> {
        T run(Layers layers) throws IOException;
    }

    private <T> T withLayers(T whenUntouched, Work<T> work) {
        Path upperDir = sessionDir.resolve(UPPER);
        if (!Files.isDirectory(upperDir, LinkOption.NOFOLLOW_LINKS)) {
            return whenUntouched;
        }
        try (Anchor original = Anchor.root(project.toRealPath());
                Anchor upper = Anchor.root(upperDir)) {
            return work.run(new Layers(original, upper));
        } catch (IOException failure) {
            throw new WorkspaceException(
                    WorkspaceException.Code.PROJECT_UNREADABLE,
                    "cannot read the project " + project + ": " + failure.getMessage(),
                    "check that it is still there and that you may read it",
                    failure);
        }
    }
}
