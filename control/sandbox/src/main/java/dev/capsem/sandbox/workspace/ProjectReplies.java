package dev.capsem.sandbox.workspace;

import dev.capsem.sandbox.workspace.tree.ApplyProblem;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyReply.PathProblem;
import dev.capsem.wire.service.DiffReply;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// The answers of `/diff` and `/apply`, from the findings of a [ProjectWorkspace].
public final class ProjectReplies {
    private ProjectReplies() {}

    public static DiffReply of(Path project, ProjectDiff diff) {
        var unified = new StringBuilder();
        diff.files().forEach(file -> unified.append(file.text()));
        return new DiffReply(
                project.toString(),
                diff.files().stream().map(ProjectReplies::change).toList(),
                unified.toString(),
                diff.cut() > 0,
                diff.cut(),
                diff.ignored(),
                diff.commits().stream()
                        .map(inside ->
                                new DiffReply.Commits(inside.repository().toString(), inside.branch(), inside.commit()))
                        .toList(),
                problems(diff.skipped()),
                diff.held().stream().map(Path::toString).toList(),
                diff.digest());
    }

    public static ApplyReply of(Path project, ApplyOutcome outcome) {
        return new ApplyReply(
                outcome.applied().stream().map(Path::toString).toList(),
                problems(outcome.refused()),
                problems(outcome.skipped()),
                problems(outcome.failed()),
                outcome.merged().stream().map(Path::toString).toList(),
                outcome.branches().stream()
                        .map(brought -> new ApplyReply.Branch(
                                brought.repository().toString(), brought.branch(), brought.commit(), brought.count()))
                        .toList(),
                outcome.kept().map(directory -> new ApplyReply.Kept(directory.toString(), project.toString())),
                outcome.ignored(),
                outcome.held().stream().map(Path::toString).toList());
    }

    private static DiffReply.Change change(ProjectDiff.FileDiff file) {
        return new DiffReply.Change(
                file.change().path().toString(),
                file.change().kind().name().toLowerCase(Locale.ROOT),
                file.added(),
                file.deleted(),
                file.note());
    }

    private static List<PathProblem> problems(List<ApplyProblem> problems) {
        return problems.stream()
                .map(problem -> new PathProblem(problem.path().toString(), problem.reason(), problem.remedy()))
                .toList();
    }
}
