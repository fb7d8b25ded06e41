package dev.capsem.wire.json;

import dev.capsem.wire.SandboxId;
import dev.capsem.wire.SandboxSpec;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// [SandboxSpec] as JSON: in `spec.json` of a session and in the Assign message.
public final class SandboxSpecJson {
    private SandboxSpecJson() {}

    public static ObjectNode write(SandboxSpec spec) {
        ObjectNode json = Json.object();
        json.put("id", spec.id().value());
        json.put("sessionDir", spec.sessionDir().toString());
        json.put("runtimeDir", spec.runtimeDir().toString());
        json.putObject("limits")
                .put("memoryMb", spec.limits().memoryMb())
                .put("cpus", spec.limits().cpus())
                .put("pidsMax", spec.limits().pidsMax());
        ObjectNode environment = json.putObject("environment");
        spec.environment().forEach(environment::put);
        spec.project()
                .ifPresent(project -> json.putObject("project")
                        .put("source", project.source().toString())
                        .put("name", project.name())
                        .put("access", project.access().name().toLowerCase(Locale.ROOT)));
        json.set("view", writeView(spec.view()));
        json.put("profileId", spec.profileId());
        json.put("userId", spec.userId());
        return json;
    }

    /// Throws [JsonShapeException] when a member is missing, of the wrong type or out of bounds.
    public static SandboxSpec read(JsonMembers json) {
        String id = json.text("id");
        if (!SandboxId.isValid(id)) {
            throw json.expected("id", "a sandbox id");
        }
        return new SandboxSpec(
                new SandboxId(id),
                Path.of(json.text("sessionDir")),
                Path.of(json.text("runtimeDir")),
                limits(json.object("limits")),
                json.textMap("environment"),
                json.optionalObject("project").map(SandboxSpecJson::project),
                readView(json),
                json.text("profileId"),
                json.text("userId"));
    }

    public static ObjectNode writeView(SandboxSpec.View view) {
        ObjectNode json = Json.object();
        ArrayNode mounts = json.putArray("mounts");
        view.mounts()
                .forEach(mount -> mounts.addObject()
                        .put("source", mount.source().toString())
                        .put("target", mount.target().toString()));
        ArrayNode hidden = json.putArray("hidden");
        view.hidden().forEach(hidden::add);
        return json;
    }

    /// The member `view` of an object; nothing is seen when it is absent, as in files of earlier versions.
    public static SandboxSpec.View readView(JsonMembers around) {
        return around.optionalObject("view")
                .map(json -> new SandboxSpec.View(
                        json.objects("mounts").stream()
                                .map(mount -> new SandboxSpec.Mount(
                                        Path.of(mount.text("source")), Path.of(mount.text("target"))))
                                .toList(),
                        json.texts("hidden")))
                .orElse(SandboxSpec.View.NONE);
    }

    private static SandboxSpec.Limits limits(JsonMembers json) {
        try {
            return new SandboxSpec.Limits(
                    json.integer("memoryMb"),
                    json.integer("cpus"),
                    json.integer("pidsMax", SandboxSpec.Limits.PIDS_MAX_DEFAULT));
        } catch (IllegalArgumentException e) {
            throw new JsonShapeException("limits: " + e.getMessage());
        }
    }

    private static SandboxSpec.Project project(JsonMembers json) {
        Optional<SandboxSpec.Project.Access> access = switch (json.text("access")) {
            case "copy_on_write" -> Optional.of(SandboxSpec.Project.Access.COPY_ON_WRITE);
            case "read_write" -> Optional.of(SandboxSpec.Project.Access.READ_WRITE);
            default -> Optional.empty();
        };
        return new SandboxSpec.Project(
                Path.of(json.text("source")),
                json.text("name"),
                access.orElseThrow(() -> json.expected("access", "copy_on_write or read_write")));
    }
}
