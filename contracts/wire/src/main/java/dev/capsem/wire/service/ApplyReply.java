package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `POST /apply/{id}`. Nothing is applied when anything is refused.
///
/// @param skipped left out on purpose, which stops nothing else: devices, and what would act on the host by itself
/// @param failed what the disk or a still running guest prevented after the checks had passed
/// @param merged those of the applied that hold both sides' changes now
/// @param branches commits that came back, each branch under a name of its own
/// @param kept how to have back what was overwritten although the user had changed it
/// @param ignored how many changed files were left out because git ignores them
/// @param held paths of the skipped that come when they are named: tools on the host may run them
public record ApplyReply(
        List<String> applied,
        List<PathProblem> refused,
        List<PathProblem> skipped,
        List<PathProblem> failed,
        List<String> merged,
        List<Branch> branches,
        Optional<Kept> kept,
        int ignored,
        List<String> held) {
    public ApplyReply {
        merged = List.copyOf(merged);
        branches = List.copyOf(branches);
        applied = List.copyOf(applied);
        refused = List.copyOf(refused);
        skipped = List.copyOf(skipped);
        failed = List.copyOf(failed);
        held = List.copyOf(held);
    }

    /// Changes of files and nothing else.
    public ApplyReply(
            List<String> applied, List<PathProblem> refused, List<PathProblem> skipped, List<PathProblem> failed) {
        this(applied, refused, skipped, failed, List.of(), List.of(), Optional.empty(), 0, List.of());
    }

    /// @param directory holds copies under the same names as `project`
    public record Kept(String directory, String project) {
        ObjectNode toJson() {
            return Json.object().put("directory", directory).put("project", project);
        }

        static Kept fromJson(JsonMembers fields) {
            return new Kept(fields.text("directory"), fields.text("project"));
        }
    }

    /// @param repository the git directory, relative to the project
    /// @param branch its name in the user's repository; of a tag `tags/NAME`
    /// @param commits how many commits came with it
    public record Branch(String repository, String branch, String commit, int commits) {
        ObjectNode toJson() {
            return Json.object()
                    .put("repository", repository)
                    .put("branch", branch)
                    .put("commit", commit)
                    .put("commits", commits);
        }

        static Branch fromJson(JsonMembers fields) {
            return new Branch(fields.text("repository"), fields.text("branch"), fields.text("commit"), (int)
                    fields.number("commits", 0));
        }
    }

    public record PathProblem(String path, String reason, String remedy) {
        ObjectNode toJson() {
            return Json.object().put("path", path).put("reason", reason).put("remedy", remedy);
        }

        static PathProblem fromJson(JsonMembers fields) {
            return new PathProblem(
                    fields.text("path"),
                    fields.text("reason"),
                    fields.optionalText("remedy").orElse(""));
        }
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object();
        json.set("applied", ServiceJson.strings(applied));
        json.set("refused", ServiceJson.array(refused, PathProblem::toJson));
        json.set("skipped", ServiceJson.array(skipped, PathProblem::toJson));
        json.set("failed", ServiceJson.array(failed, PathProblem::toJson));
        json.set("merged", ServiceJson.strings(merged));
        json.set("branches", ServiceJson.array(branches, Branch::toJson));
        kept.ifPresent(copies -> json.set("kept", copies.toJson()));
        json.put("ignored", ignored);
        json.set("held", ServiceJson.strings(held));
        return json;
    }

    public static ApplyReply fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new ApplyReply(
                fields.texts("applied"),
                problems(fields, "refused"),
                problems(fields, "skipped"),
                problems(fields, "failed"),
                fields.texts("merged"),
                fields.objects("branches").stream().map(Branch::fromJson).toList(),
                fields.optionalObject("kept").map(Kept::fromJson),
                (int) fields.number("ignored", 0),
                fields.texts("held"));
    }

    static List<PathProblem> problems(JsonMembers fields, String name) {
        return fields.objects(name).stream().map(PathProblem::fromJson).toList();
    }
}
