package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// One sandbox as `/list` and `/info` show it.
///
/// @param name of a persistent sandbox (then equal to the id)
/// @param pid of its capsem-process; 0 when none runs
/// @param status Running, Stopped, Suspended or Defunct
/// @param createdAt such as `2026-01-31T12:00:00Z`
/// @param sizeBytes what its files take on disk, as last measured
/// @param diskMb what they may take
/// @param project the host directory it was given, if any
/// @param lastCommand the last that was started in it
/// @param changes in its copy of the project; absent while nobody has counted them
/// @param counters by their JSON names: total_requests, total_file_events, process_exec_count, …
/// @param execAuditOff why no program that starts inside is on record
/// @param lastError why it is Defunct, or why nothing new begins in it: its record cannot be written
public record SandboxSummary(
        String id,
        Optional<String> name,
        long pid,
        String status,
        boolean persistent,
        Optional<Integer> ramMb,
        Optional<Integer> cpus,
        Optional<String> version,
        Optional<String> forkedFrom,
        Optional<String> description,
        Optional<Long> sizeBytes,
        Optional<Integer> diskMb,
        Optional<String> profileId,
        Optional<String> userId,
        Optional<String> createdAt,
        Optional<Long> uptimeSecs,
        Optional<String> project,
        Optional<String> lastCommand,
        Optional<Integer> changes,
        Map<String, Long> counters,
        Optional<String> execAuditOff,
        Optional<String> lastError) {

    public SandboxSummary {
        counters = Map.copyOf(counters);
    }

    /// Whether anything can still happen in it by itself; a suspended one goes on where it was.
    public boolean isLive() {
        return status.equals("Running") || status.equals("Suspended");
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object().put("id", id);
        name.ifPresent(value -> json.put("name", value));
        json.put("pid", pid).put("status", status).put("persistent", persistent);
        ramMb.ifPresent(value -> json.put("ram_mb", value));
        cpus.ifPresent(value -> json.put("cpus", value));
        version.ifPresent(value -> json.put("version", value));
        forkedFrom.ifPresent(value -> json.put("forked_from", value));
        description.ifPresent(value -> json.put("description", value));
        sizeBytes.ifPresent(value -> json.put("size_bytes", value));
        diskMb.ifPresent(value -> json.put("disk_mb", value));
        profileId.ifPresent(value -> json.put("profile_id", value));
        userId.ifPresent(value -> json.put("user_id", value));
        createdAt.ifPresent(value -> json.put("created_at", value));
        uptimeSecs.ifPresent(value -> json.put("uptime_secs", value));
        project.ifPresent(value -> json.put("project", value));
        lastCommand.ifPresent(value -> json.put("last_command", value));
        changes.ifPresent(value -> json.put("changes", value));
        new TreeMap<>(counters).forEach(json::put);
        execAuditOff.ifPresent(value -> json.put("exec_audit_off", value));
        lastError.ifPresent(value -> json.put("last_error", value));
        return json;
    }

    public static SandboxSummary fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        Map<String, Long> counters = new TreeMap<>();
        node.properties().forEach(entry -> {
            if (isCounter(entry.getKey()) && entry.getValue().isIntegralNumber()) {
                counters.put(entry.getKey(), entry.getValue().longValue());
            }
        });
        return new SandboxSummary(
                fields.text("id"),
                fields.optionalText("name"),
                fields.number("pid", 0),
                fields.text("status"),
                fields.flag("persistent", false),
                fields.optionalInteger("ram_mb"),
                fields.optionalInteger("cpus"),
                fields.optionalText("version"),
                fields.optionalText("forked_from"),
                fields.optionalText("description"),
                ServiceJson.boxed(fields.optionalNumber("size_bytes")),
                fields.optionalInteger("disk_mb"),
                fields.optionalText("profile_id"),
                fields.optionalText("user_id"),
                fields.optionalText("created_at"),
                ServiceJson.boxed(fields.optionalNumber("uptime_secs")),
                fields.optionalText("project"),
                fields.optionalText("last_command"),
                fields.optionalInteger("changes"),
                counters,
                fields.optionalText("exec_audit_off"),
                fields.optionalText("last_error"));
    }

    /// Whether it counts starts of programs or changes of files that were not seen: of interest only when there
    /// are some.
    public static boolean isLoss(String counter) {
        return counter.equals("exec_audit_missed") || counter.equals("file_watch_gaps");
    }

    /// Counters sit beside the other members; their names follow these patterns.
    private static boolean isCounter(String member) {
        return member.startsWith("total_")
                || member.endsWith("_total")
                || member.endsWith("_count")
                || member.endsWith("_requests")
                || member.endsWith("_queries")
                || member.equals("dropped_events")
                || isLoss(member);
    }
}
