package dev.capsem.hostmcp.tools;

import static dev.capsem.hostmcp.tools.HostTools.tool;

import dev.capsem.client.SandboxService;
import dev.capsem.client.io.RequestTarget;
import dev.capsem.toolserver.Argument;
import dev.capsem.toolserver.ArgumentSchema;
import dev.capsem.toolserver.McpTool;
import dev.capsem.toolserver.McpTool.Hints;
import dev.capsem.toolserver.OutputSchema;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// MCP servers that sandboxes may use, as profiles list them.
final class ConnectorTools {
    private static final Argument PROFILE = Argument.optional(
            "profile", Argument.Text.of(1, 128), "The profile; else the one in use. See `capsem profiles list`.");
    private static final Argument SERVER = Argument.required(
            "id",
            Argument.Text.matching(128, "[a-z0-9][a-z0-9._-]*"),
            "The server's name: lower-case letters, digits, - _ and .");

    private final SandboxService host;

    ConnectorTools(SandboxService host) {
        this.host = host;
    }

    List<McpTool> tools() {
        return List.of(
                tool(
                        "capsem_mcp_connectors",
                        "MCP servers of sandboxes",
                        "The MCP servers that sandboxes of a profile can use: where each is defined, whether it can be edited."
                                + " Tokens appear as references only. Example: {}",
                        Hints.LOOKS,
                        ArgumentSchema.of(PROFILE),
                        OutputSchema.object()
                                .has("servers", "array", "Sorted by id")
                                .has("profile_id", "string", "The profile"),
                        call -> Replies.json(host.get(new RequestTarget("mcp", "connectors")
                                .with("profile", call.arguments().optionalText("profile"))
                                .toString()))),
                add(),
                tool(
                        "capsem_mcp_delete",
                        "Remove an MCP server",
                        "Removes an MCP server that the user added to the profile. Example: {\"id\": \"docs\"}",
                        Hints.DESTROYS,
                        ArgumentSchema.of(SERVER, PROFILE),
                        OutputSchema.object()
                                .has("removed", "boolean", "It is gone")
                                .has("server_id", "string", "Which"),
                        call -> Replies.json(host.remove(new RequestTarget(
                                        "mcp", "connectors", call.arguments().text("id"))
                                .with("profile", call.arguments().optionalText("profile"))
                                .toString()))));
    }

    private McpTool add() {
        return tool(
                "capsem_mcp_add",
                "Add an MCP server",
                "Adds an MCP server to a profile of the user, for all its sandboxes: a url (http or sse) or a command"
                        + " (stdio). Never put a token in plain: the user keeps it with `capsem secret set NAME`, and"
                        + " ${secret:NAME} stands for it. Example: {\"id\": \"docs\", \"type\": \"http\", \"url\":"
                        + " \"https://docs.example.com/mcp\", \"allowed_tools\": [\"search\"]}",
                new Hints(false, false, false, true),
                ArgumentSchema.of(
                        SERVER,
                        PROFILE,
                        Argument.optional("disabled", new Argument.Flag(false), "Add it without using it yet."),
                        Argument.optional(
                                "type", Argument.Choice.of("stdio", "http", "sse"), "Must agree with command or url."),
                        Argument.optional("command", Argument.Text.of(1, 4_096), "The program of a stdio server."),
                        Argument.optional("args", Argument.Texts.upTo(256), "Its arguments."),
                        Argument.optional("env", new Argument.TextMap(256), "Its environment."),
                        Argument.optional("url", Argument.Text.of(1, 4_096), "The address of an http or sse server."),
                        Argument.optional("headers", new Argument.TextMap(64), "Headers for the url."),
                        Argument.optional(
                                "bearerToken",
                                Argument.Text.of(1, 4_096),
                                "A reference such as ${secret:NAME}; never the token itself."),
                        Argument.optional(
                                "credential_refs",
                                Argument.Texts.upTo(64),
                                "Names of secrets it may use: one is the token of a url; a program finds github-token as"
                                        + " GITHUB_TOKEN."),
                        Argument.optional(
                                "capabilities",
                                Argument.Texts.upTo(256),
                                "What a command may do, such as net:connect:api.github.com:443 or fs:read:/srv/docs/**;"
                                        + " without any it is not started."),
                        Argument.optional(
                                "allowed_tools", Argument.Texts.upTo(1_024), "Only these of its tools; else all.")),
                OutputSchema.object().has("id", "string", "The server").mayHave("server", "object", "Its definition"),
                call -> Replies.json(host.post("/mcp/connectors", request(call.arguments()))));
    }

    private static ObjectNode request(JsonMembers arguments) {
        ObjectNode body =
                Json.object().put("id", arguments.text("id")).put("enabled", !arguments.flag("disabled", false));
        ObjectNode capsem = body.putObject("capsem");
        putTexts(capsem, "credential_refs", arguments.texts("credential_refs"));
        putTexts(capsem, "allowed_tools", arguments.texts("allowed_tools"));
        putTexts(capsem, "capabilities", arguments.texts("capabilities"));
        for (String member : List.of("profile", "type", "command", "url", "bearerToken")) {
            arguments.optionalText(member).ifPresent(value -> body.put(member, value));
        }
        putTexts(body, "args", arguments.texts("args"));
        putMap(body, "env", arguments.textMap("env"));
        putMap(body, "headers", arguments.textMap("headers"));
        return body;
    }

    private static void putTexts(ObjectNode json, String member, List<String> texts) {
        if (!texts.isEmpty()) {
            ArrayNode array = json.putArray(member);
            texts.forEach(array::add);
        }
    }

    private static void putMap(ObjectNode json, String member, Map<String, String> texts) {
        if (!texts.isEmpty()) {
            ObjectNode object = json.putObject(member);
            texts.forEach(object::put);
        }
    }
}
