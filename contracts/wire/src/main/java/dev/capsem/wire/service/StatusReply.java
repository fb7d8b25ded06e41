package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Answer to `GET /status`: the service, this host's abilities, and what is wrong with it.
///
/// @param driver for example `bwrap`
/// @param abilities by name: suspend, memory_limit, cpu_limit, copy_on_write_project, kernel_counts;
///     exec_audit only where it is off in a sandbox, with the reason
/// @param sandboxes how many by status
/// @param sandboxesMax how many may run at once
/// @param spare warm processes: wanted and ready now
/// @param ipcDrops connections to sandboxes lost in the middle of an operation, since the service started
/// @param droppedEvents events the sandboxes could not record
public record StatusReply(
        String version,
        long pid,
        long uptimeSecs,
        String home,
        String driver,
        Map<String, String> abilities,
        List<Problem> problems,
        Map<String, Long> sandboxes,
        int sandboxesMax,
        Spare spare,
        long ipcDrops,
        long droppedEvents) {

    public StatusReply {
        abilities = Map.copyOf(abilities);
        problems = List.copyOf(problems);
        sandboxes = Map.copyOf(sandboxes);
    }

    public record Problem(String code, String cause, String remedy) {
        ObjectNode toJson() {
            return Json.object().put("code", code).put("cause", cause).put("remedy", remedy);
        }

        static Problem fromJson(JsonMembers fields) {
            return new Problem(fields.text("code"), fields.text("cause"), fields.text("remedy"));
        }
    }

    public record Spare(int wanted, int ready) {
        ObjectNode toJson() {
            return Json.object().put("wanted", wanted).put("ready", ready);
        }

        static Spare fromJson(JsonMembers fields) {
            return new Spare(fields.integer("wanted"), fields.integer("ready"));
        }
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object()
                .put("version", version)
                .put("pid", pid)
                .put("uptime_secs", uptimeSecs)
                .put("home", home)
                .put("driver", driver);
        json.set("abilities", ServiceJson.textMap(new TreeMap<>(abilities)));
        json.set("problems", ServiceJson.array(problems, Problem::toJson));
        ObjectNode counts = json.putObject("sandboxes");
        new TreeMap<>(sandboxes).forEach(counts::put);
        json.put("sandboxes_max", sandboxesMax);
        json.set("spare", spare.toJson());
        return json.put("ipc_drops", ipcDrops).put("dropped_events", droppedEvents);
    }

    public static StatusReply fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new StatusReply(
                fields.text("version"),
                fields.number("pid", 0),
                fields.number("uptime_secs", 0),
                fields.optionalText("home").orElse(""),
                fields.optionalText("driver").orElse(""),
                fields.textMap("abilities"),
                fields.objects("problems").stream().map(Problem::fromJson).toList(),
                fields.numberMap("sandboxes"),
                fields.integer("sandboxes_max", 0),
                fields.optionalObject("spare").map(Spare::fromJson).orElse(new Spare(0, 0)),
                fields.number("ipc_drops", 0),
                fields.number("dropped_events", 0));
    }
}
