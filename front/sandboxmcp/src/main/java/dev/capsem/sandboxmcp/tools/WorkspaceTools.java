package dev.capsem.sandboxmcp.tools;

import static dev.capsem.sandboxmcp.tools.SandboxTools.SANDBOX;
import static dev.capsem.sandboxmcp.tools.SandboxTools.tool;

import dev.capsem.sandboxmcp.tools.SandboxServerClient.Request;
import dev.capsem.toolserver.Argument;
import dev.capsem.toolserver.ArgumentSchema;
import dev.capsem.toolserver.McpTool;
import dev.capsem.toolserver.McpTool.Hints;
import dev.capsem.toolserver.OutputSchema;
import dev.capsem.toolserver.ToolAnswer;
import dev.capsem.wire.json.Json;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/// Directories that outlive sandboxes.
final class WorkspaceTools {
    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final Argument.Text NAME_FORM = Argument.Text.matching(64, "[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}");
    private static final Argument NAME =
            Argument.required("name", NAME_FORM, "The workspace: letters, digits, - and _.");

    private final SandboxServerClient server;

    WorkspaceTools(SandboxServerClient server) {
        this.server = server;
    }

    List<McpTool> tools() {
        return List.of(
                tool(
                        "workspace_create",
                        "Create a workspace",
                        "Creates a workspace: files with a history that outlive sandboxes. Example: {\"name\": \"notes\"}",
                        Hints.ADDS,
                        ArgumentSchema.of(NAME),
                        OutputSchema.object().has("name", "string", "The workspace"),
                        call -> {
                            String name = call.arguments().text("name");
                            JsonNode answer = send(
                                    "POST",
                                    "/v1/workspaces",
                                    Optional.of(Json.object().put("name", name)));
                            return answer("Created workspace " + name, answer, name);
                        }),
                tool(
                        "workspace_list",
                        "List workspaces",
                        "All workspaces of the server. Example: {}",
                        Hints.LOOKS,
                        ArgumentSchema.of(),
                        OutputSchema.object().has("workspaces", "array", "Every workspace"),
                        call -> {
                            JsonNode answer = send("GET", "/v1/workspaces", Optional.empty());
                            ObjectNode structured = Json.object();
                            structured.set("workspaces", answer.isArray() ? answer : answer.path("workspaces"));
                            return ToolAnswer.of(Json.text(structured.path("workspaces")), structured);
                        }),
                tool(
                        "workspace_attach",
                        "Attach a workspace",
                        "Brings a workspace's files into a sandbox."
                                + " Example: {\"sandbox\": \"sbx-1\", \"workspace\": \"notes\"}",
                        Hints.SETS,
                        ArgumentSchema.of(
                                SANDBOX, Argument.required("workspace", NAME_FORM, "The workspace to attach.")),
                        OutputSchema.object().has("name", "string", "The workspace"),
                        call -> {
                            String name = call.arguments().text("workspace");
                            String sandbox = call.arguments().text("sandbox");
                            JsonNode answer = send(
                                    "POST",
                                    "/v1/workspaces/" + name + "/attach",
                                    Optional.of(Json.object().put("sandbox", sandbox)));
                            return answer("Attached workspace " + name + " to sandbox " + sandbox, answer, name);
                        }),
                tool(
                        "workspace_delete",
                        "Delete a workspace",
                        "Deletes a workspace with its history. Cannot be undone. Example: {\"name\": \"notes\"}",
                        Hints.DESTROYS,
                        ArgumentSchema.of(NAME),
                        OutputSchema.object().has("name", "string", "The workspace that is gone"),
                        call -> {
                            String name = call.arguments().text("name");
                            return answer(
                                    "Deleted workspace " + name,
                                    send("DELETE", "/v1/workspaces/" + name, Optional.empty()),
                                    name);
                        }));
    }

    private JsonNode send(String method, String path, Optional<ObjectNode> body) throws InterruptedException {
        return server.send(new Request(method, path, body, Optional.empty(), WAIT));
    }

    private static ToolAnswer answer(String text, JsonNode answer, String name) {
        ObjectNode structured = answer instanceof ObjectNode object ? object : Json.object();
        return ToolAnswer.of(text, structured.put("name", name));
    }
}
