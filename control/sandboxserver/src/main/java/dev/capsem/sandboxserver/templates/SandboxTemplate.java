package dev.capsem.sandboxserver.templates;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// A template that a client registered: a profile, or a persistent sandbox to copy, with limits of its own.
///
/// @param image a persistent sandbox; its copies stay under its profile
public record SandboxTemplate(
        String id,
        String profile,
        Optional<String> image,
        Optional<Integer> cpus,
        Optional<Integer> ramMb,
        Instant createdAt) {

    /// The same but for when it was made.
    boolean isSameAs(SandboxTemplate other) {
        return new SandboxTemplate(id, profile, image, cpus, ramMb, other.createdAt).equals(other);
    }

    ObjectNode toFile() {
        ObjectNode json = Json.object().put("id", id).put("profile", profile).put("created_at", createdAt.toString());
        image.ifPresent(value -> json.put("image", value));
        cpus.ifPresent(value -> json.put("cpus", value));
        ramMb.ifPresent(value -> json.put("ram_mb", value));
        return json;
    }

    static SandboxTemplate fromFile(JsonMembers json) {
        return new SandboxTemplate(
                json.text("id"),
                json.text("profile"),
                json.optionalText("image"),
                json.optionalInteger("cpus"),
                json.optionalInteger("ram_mb"),
                Instant.parse(json.text("created_at")));
    }
}
