package dev.capsem.hostmcp.tools;

import static dev.capsem.hostmcp.tools.HostTools.ID;
import static dev.capsem.hostmcp.tools.HostTools.tool;

import dev.capsem.client.SandboxService;
import dev.capsem.toolserver.Argument;
import dev.capsem.toolserver.ArgumentSchema;
import dev.capsem.toolserver.FileText;
import dev.capsem.toolserver.McpTool;
import dev.capsem.toolserver.McpTool.Hints;
import dev.capsem.toolserver.OutputSchema;
import dev.capsem.toolserver.ToolFailure;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/// Files of a sandbox's workspace, also of a stopped one.
final class SandboxFileTools {
    /// As the service limits a file: 10 MiB, and in base64 a third more.
    private static final int CONTENT_LENGTH_MAX = 14 * 1_048_576;

    private static final Argument PATH = Argument.required(
            "path",
            Argument.Text.of(1, 4_095),
            "Relative to /root, or absolute below it. Other places are reached with capsem_exec.");

    private final SandboxService host;

    SandboxFileTools(SandboxService host) {
        this.host = host;
    }

    List<McpTool> tools() {
        return List.of(
                tool(
                        "capsem_read_file",
                        "Read a file",
                        "Reads a file of at most 10 MiB from the sandbox's workspace, running or stopped. content is text, or"
                                + " base64 when encoding says so, because the bytes are not UTF-8."
                                + " Example: {\"id\": \"calm-otter\", \"path\": \"notes/todo.txt\"}",
                        Hints.LOOKS,
                        ArgumentSchema.of(ID, PATH),
                        OutputSchema.object()
                                .has("content", "string", "What is in it")
                                .has("size", "integer", "Its bytes")
                                .mayHave("encoding", "string", "base64 when it is not text"),
                        call -> {
                            JsonMembers arguments = call.arguments();
                            byte[] bytes = host.readFile(arguments.text("id"), arguments.text("path"));
                            return Replies.json(
                                    FileText.of(bytes).putInto(Json.object()).put("size", bytes.length));
                        }),
                tool(
                        "capsem_write_file",
                        "Write a file",
                        "Writes a file of at most 10 MiB into the sandbox's workspace, running or stopped; an older one is"
                                + " replaced, missing directories are made. Binary content goes as base64."
                                + " Example: {\"id\": \"calm-otter\", \"path\": \"notes/todo.txt\", \"content\":"
                                + " \"water the plants\\n\"}",
                        new Hints(false, true, true, false),
                        ArgumentSchema.of(
                                ID,
                                PATH,
                                Argument.required(
                                        "content", Argument.Text.of(0, CONTENT_LENGTH_MAX), "The whole new content."),
                                Argument.optional(
                                        "encoding",
                                        Argument.Choice.of("utf-8", "base64"),
                                        "How content stands for bytes; utf-8 unless said.")),
                        OutputSchema.object()
                                .has("success", "boolean", "It is written")
                                .has("size", "integer", "Bytes written"),
                        call -> {
                            JsonMembers arguments = call.arguments();
                            byte[] bytes = bytes(arguments);
                            host.writeFile(arguments.text("id"), arguments.text("path"), bytes);
                            ObjectNode reply = Json.object().put("success", true);
                            return Replies.json(reply.put("size", bytes.length));
                        }));
    }

    private static byte[] bytes(JsonMembers arguments) {
        return new FileText(
                        arguments.text("content"),
                        arguments.optionalText("encoding").orElse("utf-8").equals("base64"))
                .bytes()
                .orElseThrow(() -> new ToolFailure(
                        "invalid_arguments",
                        "capsem_write_file: content is not base64",
                        "send base64 as encoding says, or leave encoding out"));
    }
}
