package dev.capsem.sandbox;

import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import tools.jackson.databind.node.ObjectNode;

/// [SandboxHandle] as text: what a service keeps on disk and a later one reads.
public final class SandboxHandleJson {
    private SandboxHandleJson() {}

    public static String write(SandboxHandle handle) {
        ObjectNode json = Json.object();
        json.put("driver", handle.driver());
        json.put("pid", handle.pid());
        json.put("startTicks", handle.startTicks());
        ObjectNode resources = json.putObject("resources");
        handle.resources().forEach(resources::put);
        return Json.text(json);
    }

    /// Throws [dev.capsem.wire.json.JsonShapeException] when the text is not a handle.
    public static SandboxHandle read(String text) {
        JsonMembers json = JsonMembers.of(Json.parse(text), "handle");
        return new SandboxHandle(
                json.text("driver"), json.number("pid"), json.number("startTicks"), json.textMap("resources"));
    }
}
