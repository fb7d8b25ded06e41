package dev.capsem.service.table;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// Kept in the session directory as `activity.json`.
///
/// @param command the last that was started, as history shows it
/// @param changes in the copy of the project, if they were counted since anything could change them
public record Activity(Optional<String> command, Optional<Integer> changes) {
    static final String FILE_NAME = "activity.json";
    static final Activity NONE = new Activity(Optional.empty(), Optional.empty());

    Activity with(Optional<Integer> counted) {
        return new Activity(command, counted);
    }

    ObjectNode toJson() {
        ObjectNode json = Json.object();
        command.ifPresent(text -> json.put("last_command", text));
        changes.ifPresent(count -> json.put("changes", count));
        return json;
    }

    static Activity fromJson(JsonMembers json) {
        return new Activity(json.optionalText("last_command"), json.optionalInteger("changes"));
    }
}
