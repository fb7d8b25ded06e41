package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `GET /diff/{id}?path=…`: what changed in the sandbox's copy of the project, or of the paths named.
///
/// @param project the host directory it is compared with
/// @param unified a patch of all changes that `git apply` takes
/// @param truncated the diff was longer than the service gives out; the list of changes is complete
/// @param cut how many files are only named for that reason
/// @param ignored how many changed files were left out because git ignores them; `?ignored=true` shows them
/// @param commits branches inside with commits that the user does not have
/// @param skipped what `/apply/{id}` of the same paths leaves out
/// @param held paths of the skipped that come when they are named: tools on the host may run them
/// @param digest a name of all that is shown; `/apply/{id}` takes it as `as`
public record DiffReply(
        String project,
        List<Change> changes,
        String unified,
        boolean truncated,
        int cut,
        int ignored,
        List<Commits> commits,
        List<ApplyReply.PathProblem> skipped,
        List<String> held,
        String digest) {
    public DiffReply {
        skipped = List.copyOf(skipped);
        held = List.copyOf(held);
        changes = List.copyOf(changes);
        commits = List.copyOf(commits);
    }

    /// What a project without git has.
    public DiffReply(String project, List<Change> changes, String unified, boolean truncated) {
        this(project, changes, unified, truncated, 0, 0, List.of(), List.of(), List.of(), "");
    }

    /// Whether there is anything that deleting the sandbox would lose.
    public boolean isEmpty() {
        return changes.isEmpty() && commits.isEmpty() && ignored == 0 && skipped.isEmpty();
    }

    /// @param repository the git directory, relative to the project
    public record Commits(String repository, String branch, String commit) {
        ObjectNode toJson() {
            return Json.object()
                    .put("repository", repository)
                    .put("branch", branch)
                    .put("commit", commit);
        }

        static Commits fromJson(JsonMembers fields) {
            return new Commits(fields.text("repository"), fields.text("branch"), fields.text("commit"));
        }
    }

    /// @param kind `added`, `modified`, `deleted`, `mode`, `type`, `special` or `unreadable`
    /// @param note why the unified diff shows no lines of it: binary, too large, a directory, …
    public record Change(String path, String kind, long insertions, long deletions, Optional<String> note) {
        ObjectNode toJson() {
            ObjectNode json = Json.object()
                    .put("path", path)
                    .put("kind", kind)
                    .put("insertions", insertions)
                    .put("deletions", deletions);
            note.ifPresent(value -> json.put("note", value));
            return json;
        }

        static Change fromJson(JsonMembers fields) {
            return new Change(
                    fields.text("path"),
                    fields.text("kind"),
                    fields.number("insertions", 0),
                    fields.number("deletions", 0),
                    fields.optionalText("note"));
        }
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object().put("project", project);
        json.set("changes", ServiceJson.array(changes, Change::toJson));
        json.put("unified", unified).put("truncated", truncated).put("cut", cut).put("ignored", ignored);
        json.set("commits", ServiceJson.array(commits, Commits::toJson));
        json.set("skipped", ServiceJson.array(skipped, ApplyReply.PathProblem::toJson));
        json.set("held", ServiceJson.strings(held));
        return json.put("digest", digest);
    }

    public static DiffReply fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new DiffReply(
                fields.optionalText("project").orElse(""),
                fields.objects("changes").stream().map(Change::fromJson).toList(),
                fields.optionalText("unified").orElse(""),
                fields.flag("truncated", false),
                (int) fields.number("cut", 0),
                (int) fields.number("ignored", 0),
                fields.objects("commits").stream().map(Commits::fromJson).toList(),
                ApplyReply.problems(fields, "skipped"),
                fields.texts("held"),
                fields.optionalText("digest").orElse(""));
    }
}
