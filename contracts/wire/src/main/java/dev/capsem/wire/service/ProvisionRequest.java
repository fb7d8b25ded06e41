package dev.capsem.wire.service;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `POST /provision`. What is absent takes the service's default.
///
/// @param name of a persistent sandbox, or the wished id of a temporary one; made up when absent
/// @param budget what it may spend in its life, such as `5usd`
/// @param from a persistent sandbox whose state the new one starts with (also read as `image`)
/// @param mounts files and directories of the caller's that are shown read-only
/// @param hideSecrets whether `.env` and its like in the project are shown empty
public record ProvisionRequest(
        Optional<String> name,
        Optional<Integer> ramMb,
        Optional<Integer> cpus,
        boolean persistent,
        Map<String, String> env,
        Optional<String> from,
        Optional<ProjectMount> project,
        Optional<String> profileId,
        Optional<String> budget,
        List<HostMount> mounts,
        boolean hideSecrets) {

    public ProvisionRequest {
        env = Map.copyOf(env);
        mounts = List.copyOf(mounts);
    }

    /// Without a limit of its own.
    public ProvisionRequest(
            Optional<String> name,
            Optional<Integer> ramMb,
            Optional<Integer> cpus,
            boolean persistent,
            Map<String, String> env,
            Optional<String> from,
            Optional<ProjectMount> project,
            Optional<String> profileId) {
        this(name, ramMb, cpus, persistent, env, from, project, profileId, Optional.empty(), List.of(), false);
    }

    public static ProvisionRequest temporary() {
        return new ProvisionRequest(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false,
                Map.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    public ProvisionRequest withProfile(String id) {
        return new ProvisionRequest(
                name, ramMb, cpus, persistent, env, from, project, Optional.of(id), budget, mounts, hideSecrets);
    }

    /// @param limit what it may spend, such as `5usd`
    public ProvisionRequest withBudget(Optional<String> limit) {
        return new ProvisionRequest(
                name, ramMb, cpus, persistent, env, from, project, profileId, limit, mounts, hideSecrets);
    }

    public ProvisionRequest withMounts(List<HostMount> shown) {
        return new ProvisionRequest(
                name, ramMb, cpus, persistent, env, from, project, profileId, budget, shown, hideSecrets);
    }

    public ProvisionRequest withSecretsHidden() {
        return new ProvisionRequest(name, ramMb, cpus, persistent, env, from, project, profileId, budget, mounts, true);
    }

    /// A file or directory of the caller's.
    ///
    /// @param source absolute path on the host
    /// @param target absolute path in the sandbox; the same as on the host when absent
    public record HostMount(String source, Optional<String> target) {
        ObjectNode toJson() {
            ObjectNode json = Json.object().put("source", source);
            target.ifPresent(path -> json.put("target", path));
            return json;
        }

        static HostMount fromJson(JsonMembers fields) {
            return new HostMount(fields.text("source"), fields.optionalText("target"));
        }
    }

    /// A directory of the caller's that appears in the sandbox.
    ///
    /// @param source absolute path on the host
    /// @param rw true binds it directly; false shows a copy-on-write view
    public record ProjectMount(String source, boolean rw) {
        ObjectNode toJson() {
            return Json.object().put("source", source).put("rw", rw);
        }

        static ProjectMount fromJson(JsonMembers fields) {
            return new ProjectMount(fields.text("source"), fields.flag("rw", false));
        }
    }

    public ObjectNode toJson() {
        ObjectNode json = Json.object();
        name.ifPresent(value -> json.put("name", value));
        ramMb.ifPresent(value -> json.put("ram_mb", value));
        cpus.ifPresent(value -> json.put("cpus", value));
        json.put("persistent", persistent);
        if (!env.isEmpty()) {
            json.set("env", ServiceJson.textMap(env));
        }
        from.ifPresent(value -> json.put("from", value));
        project.ifPresent(value -> json.set("project", value.toJson()));
        profileId.ifPresent(value -> json.put("profile_id", value));
        budget.ifPresent(value -> json.put("budget", value));
        if (!mounts.isEmpty()) {
            ArrayNode list = json.putArray("mounts");
            mounts.forEach(mount -> list.add(mount.toJson()));
        }
        return hideSecrets ? json.put("hide_secrets", true) : json;
    }

    public static ProvisionRequest fromJson(JsonNode node) {
        JsonMembers fields = JsonMembers.of(node, "");
        return new ProvisionRequest(
                fields.optionalText("name"),
                fields.optionalInteger("ram_mb"),
                fields.optionalInteger("cpus"),
                fields.flag("persistent", false),
                fields.textMap("env"),
                fields.optionalText("from").or(() -> fields.optionalText("image")),
                fields.optionalObject("project").map(ProjectMount::fromJson),
                fields.optionalText("profile_id"),
                fields.optionalText("budget"),
                fields.has("mounts")
                        ? fields.objects("mounts").stream()
                                .map(HostMount::fromJson)
                                .toList()
                        : List.of(),
                fields.flag("hide_secrets", false));
    }
}
