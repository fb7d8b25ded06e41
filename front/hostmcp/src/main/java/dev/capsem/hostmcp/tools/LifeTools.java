package dev.capsem.hostmcp.tools;

import static dev.capsem.hostmcp.tools.HostTools.ID;
import static dev.capsem.hostmcp.tools.HostTools.tool;

import dev.capsem.client.SandboxService;
import dev.capsem.client.io.RequestTarget;
import dev.capsem.toolserver.Argument;
import dev.capsem.toolserver.ArgumentSchema;
import dev.capsem.toolserver.McpTool;
import dev.capsem.toolserver.McpTool.Hints;
import dev.capsem.toolserver.OutputSchema;
import dev.capsem.toolserver.ToolAnswer;
import dev.capsem.toolserver.ToolCall;
import dev.capsem.toolserver.ToolFailure;
import dev.capsem.wire.SandboxSpec.Limits;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// Sandboxes come, stand still, are copied and go.
final class LifeTools {
    private static final Argument.Text NAME = Argument.Text.matching(64, "[A-Za-z0-9][A-Za-z0-9_-]{0,63}");
    private static final int VARIABLES_MAX = 256;
    private static final int PROFILE_LENGTH_MAX = 64;

    private final SandboxService host;

    LifeTools(SandboxService host) {
        this.host = host;
    }

    List<McpTool> before() {
        return List.of(create(), list(), info());
    }

    List<McpTool> after() {
        return List.of(
                simple(
                        "capsem_stop",
                        "Stop a sandbox",
                        "Stops a running sandbox. A persistent one keeps its files and can be started again with capsem_resume;"
                                + " a temporary one is gone. Example: {\"id\": \"calm-otter\"}",
                        Hints.DESTROYS,
                        "stop",
                        done().has("persistent", "boolean", "true: kept on disk, start it with capsem_resume")),
                simple(
                        "capsem_suspend",
                        "Suspend a sandbox",
                        "Freezes a running persistent sandbox in place: its processes stand still and use no CPU until"
                                + " capsem_resume. A temporary one must be kept with capsem_persist first."
                                + " Example: {\"id\": \"calm-otter\"}",
                        Hints.SETS,
                        "suspend",
                        done().has("mode", "string", "freeze: processes kept in memory")),
                resume(),
                persist(),
                tool(
                        "capsem_delete",
                        "Delete a sandbox",
                        "Destroys a sandbox and everything in it, running or not. Cannot be undone; fork it first to keep a"
                                + " copy. Example: {\"id\": \"calm-otter-copy\"}",
                        Hints.DESTROYS,
                        ArgumentSchema.of(ID),
                        done(),
                        call -> Replies.json(host.remove(new RequestTarget("delete", id(call)).toString()))),
                purge(),
                fork());
    }

    private McpTool create() {
        return tool(
                "capsem_create",
                "Create a sandbox",
                "Makes a sandbox and starts it; answers with its id, which the other tools take. Without a name it is"
                        + " temporary: gone when it stops. With a name it is persistent. Its files are below /root."
                        + " Example: {\"name\": \"calm-otter\", \"ramMb\": 512, \"cpuCount\": 1, \"env\": {\"LANG\":"
                        + " \"C.UTF-8\"}}",
                Hints.ADDS,
                ArgumentSchema.of(
                        Argument.optional(
                                "name",
                                NAME,
                                "Makes it persistent under this name, which is its id: letters, digits, - and _."),
                        Argument.optional(
                                "ramMb",
                                Argument.Whole.between(Limits.MEMORY_MB_MIN, Limits.MEMORY_MB_MAX),
                                "Memory in MiB; else what the profile says."),
                        Argument.optional(
                                "cpuCount",
                                Argument.Whole.between(Limits.CPUS_MIN, Limits.CPUS_MAX),
                                "CPUs; else what the profile says."),
                        Argument.optional(
                                "env",
                                new Argument.TextMap(VARIABLES_MAX),
                                "Environment variables of all its commands. Not for secrets."),
                        Argument.optional(
                                "image",
                                NAME,
                                "Start from the files of this persistent sandbox, for example one that capsem_fork made."),
                        Argument.optional("from", NAME, "Another name of image; give only one of them."),
                        Argument.optional(
                                "profile",
                                Argument.Text.of(1, PROFILE_LENGTH_MAX),
                                "The profile whose rules it is under; else the chosen one."),
                        Argument.optional("version", Argument.Text.of(0, 64), "Reserved; has no effect.")),
                OutputSchema.object()
                        .has("id", "string", "The sandbox's id")
                        .mayHave("mode", "string", "How it was started")
                        .mayHave("profile_id", "string", "The profile whose rules it is under")
                        .mayHave("warnings", "array", "What is not as it was asked for")
                        .mayHave("uds_path", "string", "Socket of its process"),
                call -> Replies.json(host.post("/provision", provision(call.arguments()))));
    }

    private static ObjectNode provision(JsonMembers arguments) {
        Optional<String> name = arguments.optionalText("name");
        ObjectNode body = Json.object().put("persistent", name.isPresent());
        name.ifPresent(value -> body.put("name", value));
        arguments.optionalInteger("ramMb").ifPresent(value -> body.put("ram_mb", value));
        arguments.optionalInteger("cpuCount").ifPresent(value -> body.put("cpus", value));
        putEnvironment(body, arguments.textMap("env"));
        arguments.optionalText("profile").ifPresent(value -> body.put("profile_id", value));
        Optional<String> image = arguments.optionalText("image");
        Optional<String> from = arguments.optionalText("from");
        if (image.isPresent() && from.isPresent() && !image.equals(from)) {
            throw new ToolFailure(
                    "invalid_arguments",
                    "capsem_create: image and from name different sandboxes",
                    "give only image; from is another name of it");
        }
        image.or(() -> from).ifPresent(value -> body.put("from", value));
        return body;
    }

    static void putEnvironment(ObjectNode body, Map<String, String> variables) {
        if (!variables.isEmpty()) {
            ObjectNode env = body.putObject("env");
            variables.forEach(env::put);
        }
    }

    private McpTool list() {
        return tool(
                "capsem_list",
                "List sandboxes",
                "All sandboxes of this host with status (Running, Stopped, Suspended, Defunct), limits and counters."
                        + " Example: {}",
                Hints.LOOKS,
                ArgumentSchema.of(),
                OutputSchema.object().hasList("sandboxes", sandbox(), "Every sandbox"),
                call -> Replies.json(host.get("/list")));
    }

    private McpTool info() {
        return tool(
                "capsem_info",
                "Describe a sandbox",
                "One sandbox: id, pid, status, persistent, limits, profile, what it did so far; for a Defunct one, why."
                        + " Example: {\"id\": \"calm-otter\"}",
                Hints.LOOKS,
                ArgumentSchema.of(ID),
                sandbox(),
                call -> Replies.json(host.get(new RequestTarget("info", id(call)).toString())));
    }

    private static OutputSchema sandbox() {
        return OutputSchema.object()
                .has("id", "string", "Its id")
                .has("status", "string", "Running, Stopped, Suspended or Defunct")
                .has("persistent", "boolean", "Survives a stop")
                .has("pid", "integer", "Of its process on the host; 0 when none runs")
                .mayHave("name", "string", "Of a persistent one")
                .mayHave("ram_mb", "integer", "Memory limit")
                .mayHave("cpus", "integer", "CPU limit")
                .mayHave("forked_from", "string", "Where its files came from")
                .mayHave("last_error", "string", "Why it is Defunct");
    }

    private McpTool resume() {
        return tool(
                "capsem_resume",
                "Resume a sandbox",
                "Thaws a suspended persistent sandbox, or starts a stopped one; a running one is left as it is."
                        + " Example: {\"name\": \"calm-otter\"}",
                Hints.SETS,
                ArgumentSchema.of(Argument.required("name", Argument.Text.of(1, 64), "The persistent sandbox's name.")),
                OutputSchema.object()
                        .has("id", "string", "The sandbox's id")
                        .mayHave("mode", "string", "thaw: it goes on; cold: it was started anew"),
                call -> Replies.json(host.post(
                        new RequestTarget("resume", call.arguments().text("name")).toString(), Json.object())));
    }

    private McpTool persist() {
        return tool(
                "capsem_persist",
                "Keep a sandbox",
                "Turns a running temporary sandbox into a persistent one. Its id becomes the name; use that from now on."
                        + " Example: {\"id\": \"brave-lynx-tmp\", \"name\": \"brave-lynx\"}",
                Hints.ADDS,
                ArgumentSchema.of(ID, Argument.required("name", NAME, "Its new name: letters, digits, - and _.")),
                done().has("name", "string", "Its id from now on"),
                call -> Replies.json(host.post(
                        new RequestTarget("persist", id(call)).toString(),
                        Json.object().put("name", call.arguments().text("name")))));
    }

    private McpTool purge() {
        return tool(
                "capsem_purge",
                "Delete many sandboxes",
                "Deletes all temporary sandboxes of this host, whoever made them; with all=true the persistent ones"
                        + " too. Cannot be undone: prefer capsem_delete. Example: {\"all\": false}",
                Hints.DESTROYS,
                ArgumentSchema.of(Argument.optional("all", new Argument.Flag(false), "Persistent ones too.")),
                OutputSchema.object()
                        .has("purged", "integer", "How many were deleted")
                        .has("persistent_purged", "integer", "Persistent ones among them")
                        .has("ephemeral_purged", "integer", "Temporary ones among them"),
                call -> Replies.json(host.post(
                        "/purge", Json.object().put("all", call.arguments().flag("all", false)))));
    }

    private McpTool fork() {
        return tool(
                "capsem_fork",
                "Fork a sandbox",
                "Copies a sandbox, running or not, into a new stopped persistent one: an image. Start it with"
                        + " capsem_resume, or make sandboxes from it with capsem_create and image. Example: {\"id\":"
                        + " \"calm-otter\", \"name\": \"calm-otter-copy\", \"description\": \"before the upgrade\"}",
                Hints.ADDS,
                ArgumentSchema.of(
                        ID,
                        Argument.required("name", NAME, "The copy's name: letters, digits, - and _."),
                        Argument.optional("description", Argument.Text.of(0, 1_024), "What the copy is for.")),
                OutputSchema.object()
                        .has("name", "string", "The copy's id")
                        .has("size_bytes", "integer", "What it takes on disk"),
                call -> {
                    ObjectNode body = Json.object().put("name", call.arguments().text("name"));
                    call.arguments().optionalText("description").ifPresent(value -> body.put("description", value));
                    return Replies.json(host.post(new RequestTarget("fork", id(call)).toString(), body));
                });
    }

    private McpTool simple(
            String name, String title, String description, Hints hints, String route, OutputSchema output) {
        return tool(name, title, description, hints, ArgumentSchema.of(ID), output, call -> posted(route, call));
    }

    private ToolAnswer posted(String route, ToolCall call) {
        return Replies.json(host.post(new RequestTarget(route, id(call)).toString(), Json.object()));
    }

    private static OutputSchema done() {
        return OutputSchema.object().has("success", "boolean", "It is done");
    }

    private static String id(ToolCall call) {
        return call.arguments().text("id");
    }
}
