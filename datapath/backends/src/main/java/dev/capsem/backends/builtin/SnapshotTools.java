package dev.capsem.backends.builtin;

import dev.capsem.backends.builtin.Snapshot.Change;
import dev.capsem.backends.builtin.Snapshot.Label;
import dev.capsem.toolserver.Argument;
import dev.capsem.toolserver.ArgumentSchema;
import dev.capsem.toolserver.McpTool;
import dev.capsem.toolserver.McpTool.Hints;
import dev.capsem.toolserver.ToolAnswer;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Tools on the workspace's snapshots.
final class SnapshotTools {
    /// Changes in one answer, which has to fit a line of 1 MiB.
    private static final int CHANGES_MAX = 2_000;
    /// Changes that a list shows of each snapshot.
    private static final int LISTED_CHANGES_MAX = 50;

    private static final int FAILURES_MAX = 20;
    private static final Argument PATH = Argument.required("path", WorkPath.TEXT, "Relative to /root, or below it.");
    private static final Argument FORMAT =
            Argument.optional("format", Argument.Choice.of("text", "json"), "Of the answer; default text.");
    private static final Argument.Text CHECKPOINT = Argument.Text.of(0, 256);
    private static final Argument.Text NAME = Argument.Text.of(0, 256);

    private final Snapshots snapshots;

    SnapshotTools(Snapshots snapshots) {
        this.snapshots = snapshots;
    }

    List<McpTool> tools() {
        return List.of(
                McpTool.of(
                        "snapshots_changes",
                        "Changes since a snapshot",
                        "Lists what was created, modified or deleted in the workspace since a snapshot.",
                        Hints.LOOKS,
                        ArgumentSchema.of(
                                HttpTools.START_INDEX,
                                HttpTools.MAX_LENGTH,
                                FORMAT,
                                Argument.optional("checkpoint", CHECKPOINT, "cp-N; default: the newest snapshot.")),
                        call -> changes(call.arguments())),
                McpTool.of(
                        "snapshots_list",
                        "List snapshots",
                        "Lists the snapshots of the workspace, newest first, each with what it changed against the one"
                                + " before it.",
                        Hints.LOOKS,
                        ArgumentSchema.of(HttpTools.START_INDEX, HttpTools.MAX_LENGTH, FORMAT),
                        call -> list(call.arguments())),
                McpTool.of(
                        "snapshots_revert",
                        "Go back to a snapshot",
                        "Brings a file, a directory, or with the path /root the whole workspace back to what it was in"
                                + " a snapshot. Before more than one file is changed, an automatic snapshot is taken.",
                        Hints.DESTROYS,
                        ArgumentSchema.of(
                                PATH,
                                Argument.optional(
                                        "checkpoint",
                                        CHECKPOINT,
                                        "cp-N; default: the newest snapshot that has the path.")),
                        call -> revert(call.arguments())),
                McpTool.of(
                        "snapshots_create",
                        "Take a snapshot",
                        "Takes a named snapshot of the workspace, which stays until it is deleted.",
                        Hints.ADDS,
                        ArgumentSchema.of(Argument.required("name", NAME, "1 to 64 letters, digits, _ or -.")),
                        call -> create(call.arguments())),
                McpTool.of(
                        "snapshots_delete",
                        "Delete a snapshot",
                        "Deletes a named snapshot. Automatic ones go by themselves.",
                        Hints.DESTROYS,
                        ArgumentSchema.of(Argument.required("checkpoint", CHECKPOINT, "cp-N")),
                        call -> delete(call.arguments())),
                McpTool.of(
                        "snapshots_history",
                        "History of a file",
                        "Shows what became of a file from snapshot to snapshot, newest first.",
                        Hints.LOOKS,
                        ArgumentSchema.of(PATH),
                        call -> history(call.arguments())),
                McpTool.of(
                        "snapshots_compact",
                        "Merge snapshots",
                        "Merges snapshots into one named snapshot: of each file the newest version. The merged ones"
                                + " are deleted.",
                        new Hints(false, true, false, false),
                        ArgumentSchema.of(
                                Argument.required(
                                        "checkpoints",
                                        Argument.Texts.upTo(Label.AUTOMATIC_SLOTS + Label.NAMED_SLOTS),
                                        "cp-N of each."),
                                Argument.optional("name", NAME, "Default compacted_<seconds since 1970>.")),
                        call -> compact(call.arguments())));
    }

    // --- looking ------------------------------------------------------------------------------------------------

    private ToolAnswer changes(JsonMembers arguments) throws InterruptedException {
        boolean isJson = isJson(arguments);
        Optional<Snapshots.Comparison> compared = snapshots.changes(arguments.optionalText("checkpoint"));
        if (compared.isEmpty()) {
            ObjectNode none = Json.object().put("total", 0).put("truncated", false);
            none.putArray("changes");
            return ToolAnswer.of("No checkpoints available yet.", none);
        }
        Label label = compared.get().label();
        List<Change> changes = compared.get().changes();
        ObjectNode json = Json.object()
                .put("checkpoint", label.checkpoint())
                .put("total", changes.size())
                .put("truncated", changes.size() > CHANGES_MAX);
        ArrayNode array = json.putArray("changes");
        StringBuilder text = new StringBuilder("%-34s%-10s%-9s%s%n".formatted("Path", "Change", "Size", "Since"));
        for (Change change : changes.subList(0, Math.min(CHANGES_MAX, changes.size()))) {
            ObjectNode shown = array.addObject();
            put(shown, change, "created");
            shown.put("checkpoint", label.checkpoint())
                    .put("checkpoint_age", label.age(snapshots.now()))
                    .put("checkpoint_origin", label.origin());
            putName(shown, "checkpoint_name", label);
            text.append("%-34s%-10s%-9s%s %s%n"
                    .formatted(
                            change.path(),
                            change.operation("created"),
                            change.size().map(String::valueOf).orElse("-"),
                            label.checkpoint(),
                            label.age(snapshots.now())));
        }
        if (changes.isEmpty()) {
            text.setLength(0);
            text.append("No changes since ").append(label.checkpoint()).append(".\n");
        }
        return isJson ? ToolAnswer.of(Json.text(array), json) : ToolAnswer.of(paged(text.toString(), arguments), json);
    }

    private ToolAnswer list(JsonMembers arguments) throws InterruptedException {
        boolean isJson = isJson(arguments);
        ObjectNode json = Json.object();
        ArrayNode array = json.putArray("snapshots");
        List<Snapshot> newer = new ArrayList<>(1);
        snapshots.each(snapshot -> {
            if (!newer.isEmpty()) {
                array.add(listed(newer.removeFirst(), Optional.of(snapshot)));
            }
            newer.add(snapshot);
        });
        if (!newer.isEmpty()) {
            array.add(listed(newer.getFirst(), Optional.empty()));
        }
        json.put("auto_max", Label.AUTOMATIC_SLOTS)
                .put("manual_max", Label.NAMED_SLOTS)
                .put("manual_available", snapshots.namedSlotsFree());
        return ToolAnswer.of(paged(isJson ? Json.text(json) : table(json), arguments), json);
    }

    private ObjectNode listed(Snapshot snapshot, Optional<Snapshot> before) {
        Label label = snapshot.label();
        List<Change> changes = before.map(older -> older.changes(snapshot.entries()))
                .orElseGet(() -> Snapshot.of(0, label.taken(), "", Map.of()).changes(snapshot.entries()));
        ObjectNode json = Json.object()
                .put("checkpoint", label.checkpoint())
                .put("slot", label.slot())
                .put("origin", label.origin());
        putName(json, "name", label);
        json.put("hash", label.hash())
                .put("age", label.age(snapshots.now()))
                .put("files_count", label.filesCount())
                .put("changes_count", changes.size());
        ArrayNode array = json.putArray("changes");
        changes.stream().limit(LISTED_CHANGES_MAX).forEach(change -> put(array.addObject(), change, "new"));
        return json;
    }

    private static String table(ObjectNode json) {
        StringBuilder text = new StringBuilder(
                "%-12s%-8s%-24s%-10s%-8s%s%n".formatted("Checkpoint", "Origin", "Name", "Age", "Files", "Changes"));
        for (var snapshot : json.get("snapshots")) {
            text.append("%-12s%-8s%-24s%-10s%-8s%s%n"
                    .formatted(
                            snapshot.get("checkpoint").asString(),
                            snapshot.get("origin").asString(),
                            snapshot.get("name").asString("-"),
                            snapshot.get("age").asString(),
                            snapshot.get("files_count").asInt(),
                            snapshot.get("changes_count").asInt()));
        }
        text.append("%d of %d named snapshots are free.%n"
                .formatted(
                        json.get("manual_available").asInt(),
                        json.get("manual_max").asInt()));
        return text.toString();
    }

    private ToolAnswer history(JsonMembers arguments) throws InterruptedException {
        WorkPath path = WorkPath.parse(arguments.text("path"));
        ObjectNode json = Json.object().put("path", path.toString());
        snapshots
                .size(path)
                .ifPresentOrElse(size -> json.put("current_size", size), () -> json.putNull("current_size"));
        List<Version> versions = new ArrayList<>();
        snapshots.each(snapshot -> versions.add(new Version(
                snapshot.label(), Optional.ofNullable(snapshot.entries().get(path.toString())))));
        ArrayNode array = json.putArray("versions");
        for (int i = 0; i < versions.size(); i++) {
            Optional<SnapshotEntry> before =
                    i + 1 < versions.size() ? versions.get(i + 1).entry() : Optional.empty();
            Version version = versions.get(i);
            if (version.entry().isEmpty() && before.isEmpty()) {
                continue;
            }
            ObjectNode shown = array.addObject()
                    .put("checkpoint", version.label().checkpoint())
                    .put("origin", version.label().origin());
            putName(shown, "name", version.label());
            shown.put("age", version.label().age(snapshots.now()));
            version.entry().ifPresentOrElse(entry -> shown.put("size", entry.size()), () -> shown.putNull("size"));
            shown.put("status", version.status(before));
        }
        return ToolAnswer.of(json);
    }

    private record Version(Label label, Optional<SnapshotEntry> entry) {
        String status(Optional<SnapshotEntry> before) {
            if (entry.isEmpty()) {
                return "deleted";
            }
            if (before.isEmpty()) {
                return "new";
            }
            return before.get().content().equals(entry.get().content())
                            && before.get().mode().equals(entry.get().mode())
                    ? "unchanged"
                    : "modified";
        }
    }

    // --- changing -----------------------------------------------------------------------------------------------

    private ToolAnswer revert(JsonMembers arguments) throws InterruptedException {
        WorkPath path = WorkPath.parse(arguments.text("path"));
        Snapshots.Reverted done = snapshots.revert(path, arguments.optionalText("checkpoint"));
        ObjectNode json = Json.object()
                .put("reverted", done.failures().isEmpty())
                .put("path", path.parts().isEmpty() ? "/root" : path.toString())
                .put("action", done.restored() == 0 && done.deleted() > 0 ? "deleted" : "restored")
                .put("checkpoint", done.label().checkpoint())
                .put("restored", done.restored())
                .put("deleted", done.deleted());
        done.before().ifPresent(before -> json.put("before", before.checkpoint()));
        if (!done.failures().isEmpty()) {
            ArrayNode failures = json.putArray("failures");
            done.failures().stream().limit(FAILURES_MAX).forEach(failures::add);
        }
        return ToolAnswer.of(json);
    }

    private ToolAnswer create(JsonMembers arguments) throws InterruptedException {
        Label label = snapshots.create(arguments.text("name"));
        return ToolAnswer.of(Json.object()
                .put("checkpoint", label.checkpoint())
                .put("name", label.name())
                .put("hash", label.hash())
                .put("files_count", label.filesCount())
                .put("available", snapshots.namedSlotsFree()));
    }

    private ToolAnswer delete(JsonMembers arguments) throws InterruptedException {
        Label label = snapshots.delete(arguments.text("checkpoint"));
        return ToolAnswer.of(Json.object().put("deleted", true).put("checkpoint", label.checkpoint()));
    }

    private ToolAnswer compact(JsonMembers arguments) throws InterruptedException {
        String name = arguments
                .optionalText("name")
                .orElseGet(() -> "compacted_" + snapshots.now().getEpochSecond());
        Snapshots.Compacted done = snapshots.compact(arguments.texts("checkpoints"), name);
        ObjectNode json = Json.object()
                .put("compacted", true)
                .put("checkpoint", done.label().checkpoint())
                .put("name", name)
                .put("hash", done.label().hash())
                .put("merged_count", done.merged().size());
        ArrayNode deleted = json.putArray("deleted_checkpoints");
        done.merged().forEach(label -> deleted.add(label.checkpoint()));
        return ToolAnswer.of(json.put("files_count", done.label().filesCount()));
    }

    // --- words --------------------------------------------------------------------------------------------------

    private static void put(ObjectNode json, Change change, String created) {
        json.put("path", change.path()).put("op", change.operation(created));
        change.size().ifPresentOrElse(size -> json.put("size", size), () -> json.putNull("size"));
        json.put("is_symlink", change.isSymlink());
    }

    private static void putName(ObjectNode json, String member, Label label) {
        if (label.name().isEmpty()) {
            json.putNull(member);
        } else {
            json.put(member, label.name());
        }
    }

    private static boolean isJson(JsonMembers arguments) {
        return arguments.optionalText("format").orElse("text").equals("json");
    }

    private static String paged(String text, JsonMembers arguments) {
        return HttpTools.window(arguments, text).headed();
    }
}
