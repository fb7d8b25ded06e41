package dev.capsem.sandbox.workspace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// A project and what a sandbox made of it. Works on running and stopped sandboxes alike.
public final class ProjectWorkspace {
    private static final Path UPPER = Path.of("up", "project");

    private final Path project;
    private final Path sessionDir;

    /// @param project the original directory
    /// @param sessionDir the session that holds `up/project` and `project.manifest`
    public ProjectWorkspace(Path project, Path sessionDir) {
        this.project = project;
        this.sessionDir = sessionDir;
    }

    /// Records what the project looks like. Once, before the sandbox starts.
    public void recordManifest() {
        ProjectManifest.of(project).save(sessionDir);
    }

    /// @param paths only these and what is below them; none for all
    public List<Change> changes(List<String> paths) {
        return withLayers(List.of(), (original, upper) -> ProjectChanges.of(original, upper, Selection.of(paths)));
    }

    /// @param paths only these and what is below them; none for all
    public ProjectDiff diff(List<String> paths) {
        var selection = Selection.of(paths);
        return withLayers(
                new ProjectDiff(List.of(), 0, 0, false),
                (original, upper) -> ProjectDiff.of(ProjectChanges.of(original, upper, selection), original, upper));
    }

    /// @param paths only these and what is below them; none for all
    /// @param force whether to overwrite what moved on in the original since the sandbox was made
    public ApplyOutcome apply(List<String> paths, boolean force) {
        var selection = Selection.of(paths);
        var nothing = new ApplyOutcome(List.of(), List.of(), List.of(), List.of());
        return withLayers(nothing, (original, upper) -> {
            List<Change> changes = ProjectChanges.of(original, upper, selection);
            requireEachMatches(selection, changes);
            Optional<ProjectManifest> known = manifest(force);
            ProjectManifest manifest = known.orElseGet(() -> ProjectManifest.of(project));
            ApplyOutcome outcome = new ProjectApply(original, upper, manifest, force).apply(changes, selection);
            if (!outcome.applied().isEmpty()) {
                manifest.save(sessionDir);
            }
            return outcome;
        });
    }

    /// The manifest; empty only when it is unusable and `force` makes it unnecessary.
    private Optional<ProjectManifest> manifest(boolean force) {
        try {
            return Optional.of(ProjectManifest.load(sessionDir));
        } catch (WorkspaceException damaged) {
            if (force) {
                return Optional.empty();
            }
            throw damaged;
        }
    }

    private static void requireEachMatches(Selection selection, List<Change> changes) {
        for (Path path : selection.paths()) {
            if (changes.stream().noneMatch(change -> change.path().startsWith(path))) {
                throw Selection.noSuchChange(path.toString());
            }
        }
    }

    private interface Work<T> {
        T run(Anchor original, Anchor upper);
    }

    private <T> T withLayers(T whenUntouched, Work<T> work) {
        Path upperDir = sessionDir.resolve(UPPER);
        if (!Files.isDirectory(upperDir, LinkOption.NOFOLLOW_LINKS)) {
            return whenUntouched;
        }
        try (Anchor original = Anchor.root(project.toRealPath());
                Anchor upper = Anchor.root(upperDir)) {
            return work.run(original, upper);
        } catch (IOException failure) {
            throw new WorkspaceException(
                    WorkspaceException.Code.PROJECT_UNREADABLE,
                    "cannot read the project " + project + ": " + failure.getMessage(),
                    "check that it is still there and that you may read it",
                    failure);
        }
    }
}
