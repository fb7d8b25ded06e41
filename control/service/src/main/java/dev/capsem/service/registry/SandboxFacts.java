package dev.capsem.service.registry;

import dev.capsem.wire.SandboxId;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.json.SandboxSpecJson;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// What is known of one sandbox beside its process; of persistent ones this is the entry of the registry.
///
/// @param version of Capsem that created it (`base_version`)
/// @param suspended its processes are frozen, not gone
/// @param lastError present: it ended badly, and this is the tail of its log (`defunct`)
public record SandboxFacts(
        SandboxId name,
        SandboxSpec.Limits limits,
        String version,
        Instant createdAt,
        Path sessionDir,
        Optional<String> forkedFrom,
        Optional<String> description,
        boolean suspended,
        Optional<String> lastError,
        Map<String, String> environment,
        Optional<SandboxSpec.Project> project,
        SandboxSpec.View view,
        String profileId) {

    public SandboxFacts {
        environment = Map.copyOf(environment);
    }

    public SandboxFacts withSuspended(boolean now) {
        return with(now, Optional.empty());
    }

    public SandboxFacts defunct(String error) {
        return with(false, Optional.of(error));
    }

    /// The same sandbox, made persistent.
    public SandboxFacts renamed(SandboxId newName, Path newSessionDir) {
        return new SandboxFacts(
                newName,
                limits,
                version,
                createdAt,
                newSessionDir,
                forkedFrom,
                description,
                suspended,
                lastError,
                environment,
                project,
                view,
                profileId);
    }

    /// A copy that begins now.
    public SandboxFacts forked(
            SandboxId newName, Path newSessionDir, Optional<String> about, String nowVersion, Instant now) {
        return new SandboxFacts(
                newName,
                limits,
                nowVersion,
                now,
                newSessionDir,
                Optional.of(name.value()),
                about,
                false,
                Optional.empty(),
                environment,
                project,
                view,
                profileId);
    }

    private SandboxFacts with(boolean nowSuspended, Optional<String> error) {
        return new SandboxFacts(
                name,
                limits,
                version,
                createdAt,
                sessionDir,
                forkedFrom,
                description,
                nowSuspended,
                error,
                environment,
                project,
                view,
                profileId);
    }

    ObjectNode toJson() {
        ObjectNode json = Json.object()
                .put("name", name.value())
                .put("ram_mb", limits.memoryMb())
                .put("cpus", limits.cpus())
                .put("pids_max", limits.pidsMax())
                .put("base_version", version)
                .put("created_at", Long.toString(createdAt.getEpochSecond()))
                .put("session_dir", sessionDir.toString());
        forkedFrom.ifPresent(value -> json.put("forked_from", value));
        description.ifPresent(value -> json.put("description", value));
        json.put("suspended", suspended).put("defunct", lastError.isPresent());
        lastError.ifPresent(value -> json.put("last_error", value));
        ObjectNode env = json.putObject("env");
        environment.forEach(env::put);
        project.ifPresent(value -> json.putObject("project")
                .put("source", value.source().toString())
                .put("name", value.name())
                .put("rw", value.access() == SandboxSpec.Project.Access.READ_WRITE));
        json.set("view", SandboxSpecJson.writeView(view));
        return json.put("profile_id", profileId);
    }

    static SandboxFacts fromJson(JsonMembers json) {
        return new SandboxFacts(
                new SandboxId(json.text("name")),
                new SandboxSpec.Limits(
                        json.integer("ram_mb"),
                        json.integer("cpus"),
                        json.integer("pids_max", SandboxSpec.Limits.PIDS_MAX_DEFAULT)),
                json.optionalText("base_version").orElse(""),
                Instant.ofEpochSecond(Long.parseLong(json.text("created_at"))),
                Path.of(json.text("session_dir")),
                json.optionalText("forked_from"),
                json.optionalText("description"),
                json.flag("suspended", false),
                json.flag("defunct", false)
                        ? Optional.of(json.optionalText("last_error").orElse("unknown"))
                        : Optional.empty(),
                json.textMap("env"),
                json.optionalObject("project").map(SandboxFacts::project),
                SandboxSpecJson.readView(json),
                json.optionalText("profile_id").orElse("default"));
    }

    private static SandboxSpec.Project project(JsonMembers json) {
        return new SandboxSpec.Project(
                Path.of(json.text("source")),
                json.text("name"),
                json.flag("rw", false)
                        ? SandboxSpec.Project.Access.READ_WRITE
                        : SandboxSpec.Project.Access.COPY_ON_WRITE);
    }
}
