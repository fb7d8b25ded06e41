package dev.capsem.backends.builtin;

import dev.capsem.backends.builtin.BuiltinTool.Hints;
import dev.capsem.backends.builtin.BuiltinTool.Schema;
import dev.capsem.backends.builtin.Snapshot.Change;
import dev.capsem.backends.builtin.Snapshot.Label;
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
    private static final long LENGTH_DEFAULT = 5_000;
    /// Changes in one answer, which has to fit a line of 1 MiB.
    private static final int CHANGES_MAX = 2_000;
    /// Changes that a list shows of each snapshot.
    private static final int LISTED_CHANGES_MAX = 50;

    private static final int FAILURES_MAX = 20;
    private static final Hints LOOKING = new Hints(true, false, true, false);
    private static final Hints REPLACING = new Hints(false, true, true, false);

    private final Snapshots snapshots;

    SnapshotTools(Snapshots snapshots) {
        this.snapshots = snapshots;
    }

    List<BuiltinTool> tools() {
        Schema.Argument path = Schema.required("path", "string", "Relative to /root, or below it.");
        return List.of(
                BuiltinTool.of(
                        "snapshots_changes",
                        "Lists what was created, modified or deleted in the workspace since a snapshot.",
                        LOOKING,
                        Schema.of(with(
                                paging(),
                                Schema.optional("checkpoint", "string", "cp-N; default: the newest snapshot."))),
                        this::changes),
                BuiltinTool.of(
                        "snapshots_list",
                        "Lists the snapshots of the workspace, newest first, each with what it changed against the one"
                                + " before it.",
                        LOOKING,
                        Schema.of(paging()),
                        this::list),
                BuiltinTool.of(
                        "snapshots_revert",
                        "Brings a file, a directory, or with the path /root the whole workspace back to what it was in"
                                + " a snapshot. Before more than one file is changed, an automatic snapshot is taken.",
                        REPLACING,
                        Schema.of(
                                path,
                                Schema.optional(
                                        "checkpoint",
                                        "string",
                                        "cp-N; default: the newest snapshot that has the path.")),
                        this::revert),
                BuiltinTool.of(
                        "snapshots_create",
                        "Takes a named snapshot of the workspace, which stays until it is deleted.",
                        new Hints(false, false, false, false),
                        Schema.of(Schema.required("name", "string", "1 to 64 letters, digits, _ or -.")),
                        this::create),
                BuiltinTool.of(
                        "snapshots_delete",
                        "Deletes a named snapshot. Automatic ones go by themselves.",
                        REPLACING,
                        Schema.of(Schema.required("checkpoint", "string", "cp-N")),
                        this::delete),
                BuiltinTool.of(
                        "snapshots_history",
                        "Shows what became of a file from snapshot to snapshot, newest first.",
                        LOOKING,
                        Schema.of(path),
                        this::history),
                BuiltinTool.of(
                        "snapshots_compact",
                        "Merges snapshots into one named snapshot: of each file the newest version. The merged ones"
                                + " are deleted.",
                        new Hints(false, true, false, false),
                        Schema.of(
                                Schema.required("checkpoints", "array", "cp-N of each."),
                                Schema.optional("name", "string", "Default compacted_<seconds since 1970>.")),
                        this::compact));
    }

    private static Schema.Argument[] paging() {
        return new Schema.Argument[] {
            Schema.optional("start_index", "integer", "Byte of the text to begin at; default 0."),
            Schema.optional("max_length", "integer", "Bytes of the text; default 5000."),
            Schema.optional("format", "string", "text (default) or json.")
        };
    }

    private static Schema.Argument[] with(Schema.Argument[] some, Schema.Argument more) {
        List<Schema.Argument> all = new ArrayList<>(List.of(some));
        all.add(more);
        return all.toArray(Schema.Argument[]::new);
    }

    // --- looking ------------------------------------------------------------------------------------------------

    private ToolResult changes(JsonMembers arguments) throws BuiltinToolFailure, InterruptedException {
        boolean isJson = isJson(arguments);
        Optional<Snapshots.Comparison> compared = snapshots.changes(arguments.optionalText("checkpoint"));
        if (compared.isEmpty()) {
            ObjectNode none = Json.object().put("total", 0).put("truncated", false);
            none.putArray("changes");
            return new ToolResult("No checkpoints available yet.", Optional.of(none));
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
        return isJson
                ? new ToolResult(Json.text(array), Optional.of(json))
                : new ToolResult(paged(text.toString(), arguments), Optional.of(json));
    }

    private ToolResult list(JsonMembers arguments) throws BuiltinToolFailure, InterruptedException {
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
        return new ToolResult(paged(isJson ? Json.text(json) : table(json), arguments), Optional.of(json));
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

    private ToolResult history(JsonMembers arguments) throws BuiltinToolFailure, InterruptedException {
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
        return ToolResult.of(json);
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

    private ToolResult revert(JsonMembers arguments) throws BuiltinToolFailure, InterruptedException {
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
        return ToolResult.of(json);
    }

    private ToolResult create(JsonMembers arguments) throws BuiltinToolFailure, InterruptedException {
        Label label = snapshots.create(arguments.text("name"));
        return ToolResult.of(Json.object()
                .put("checkpoint", label.checkpoint())
                .put("name", label.name())
                .put("hash", label.hash())
                .put("files_count", label.filesCount())
                .put("available", snapshots.namedSlotsFree()));
    }

    private ToolResult delete(JsonMembers arguments) throws BuiltinToolFailure, InterruptedException {
        Label label = snapshots.delete(arguments.text("checkpoint"));
        return ToolResult.of(Json.object().put("deleted", true).put("checkpoint", label.checkpoint()));
    }

    private ToolResult compact(JsonMembers arguments) throws BuiltinToolFailure, InterruptedException {
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
        return ToolResult.of(json.put("files_count", done.label().filesCount()));
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

    private static boolean isJson(JsonMembers arguments) throws BuiltinToolFailure {
        return switch (arguments.optionalText("format").orElse("text")) {
            case "text" -> false;
            case "json" -> true;
            default -> throw new BuiltinToolFailure("format is text or json");
        };
    }

    private static String paged(String text, JsonMembers arguments) {
        return Paging.of(text, arguments.number("start_index", 0), arguments.number("max_length", LENGTH_DEFAULT))
                .headed();
    }
}
