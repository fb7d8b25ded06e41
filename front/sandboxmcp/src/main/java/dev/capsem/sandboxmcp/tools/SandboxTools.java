package dev.capsem.sandboxmcp.tools;

import dev.capsem.toolserver.Argument;
import dev.capsem.toolserver.ArgumentSchema;
import dev.capsem.toolserver.FileText;
import dev.capsem.toolserver.McpTool;
import dev.capsem.toolserver.McpTool.Hints;
import dev.capsem.toolserver.OutputSchema;
import dev.capsem.toolserver.ToolAnswer;
import dev.capsem.toolserver.ToolCall;
import dev.capsem.toolserver.ToolFailure;
import dev.capsem.toolserver.ToolServer;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The six tools, and the four for workspaces when they are wanted.
public final class SandboxTools {
    /// Changes when a name, a required argument or the meaning of one changes so that clients must notice.
    public static final String TOOL_SCHEMA_VERSION = "1.0.0";

    private static final int COMMAND_LENGTH_MAX = 131_071;
    private static final int SECONDS_MAX = 86_400;
    /// 10 MiB in base64.
    private static final int CONTENT_LENGTH_MAX = 14 * 1_048_576;

    static final int REPLICAS_MAX = 32;

    /// Checked before any request: an id becomes part of a path.
    static final Argument SANDBOX = Argument.required(
            "sandbox",
            Argument.Text.matching(64, "[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}"),
            "The sandbox's id, as sandbox_create or sandbox_fork gave it.");
    private static final Argument PATH =
            Argument.required("path", Argument.Text.of(1, 4_095), "Absolute path of the file in the sandbox.");

    private static final String INSTRUCTIONS = """
            Sandboxes on a sandbox server. Make one from a pool with sandbox_create, run commands with sandbox_exec, copy a \
            running one with sandbox_fork to try several ways from one state, end each with sandbox_terminate. \
            Failures are JSON with code, cause and remediation: do what remediation says.""";

    private final SandboxCalls calls;
    private final CommandLog log;

    private SandboxTools(SandboxCalls calls, CommandLog log) {
        this.calls = calls;
        this.log = log;
    }

    public static ToolServer server(
            SandboxServerClient backend, RandomGenerator random, boolean workspaceTools, String version) {
        var calls = new SandboxCalls(backend, random);
        var log = new CommandLog();
        List<McpTool> tools = new ArrayList<>(new SandboxTools(calls, log).tools());
        if (workspaceTools) {
            tools.addAll(new WorkspaceTools(backend).tools());
        }
        return new ToolServer(
                new ToolServer.Identity("mitos-mcp", "Sandbox server", version, INSTRUCTIONS),
                tools,
                SandboxTools::failed,
                Optional.of(new SandboxResources(calls, log)),
                Prompts.ALL);
    }

    private List<McpTool> tools() {
        List<McpTool> tools = new ArrayList<>();
        tools.add(creation());
        tools.addAll(inside());
        tools.addAll(copiesAndEnd());
        return tools;
    }

    private McpTool creation() {
        return tool(
                "sandbox_create",
                "Create a sandbox",
                "Creates a sandbox from a pool and answers with its id, which the other tools take."
                        + " Example: {\"pool\": \"default\"}",
                Hints.ADDS,
                ArgumentSchema.of(Argument.required(
                        "pool", Argument.Text.of(1, 128), "The pool, which is a template of the sandbox server.")),
                OutputSchema.object().has("id", "string", "The new sandbox"),
                this::create);
    }

    private List<McpTool> inside() {
        return List.of(
                tool(
                        "sandbox_exec",
                        "Run a command",
                        "Runs a shell command in a sandbox and waits for its end; answers with exit_code, stdout and stderr. A"
                                + " non-zero exit_code is an answer, not a failure of the tool."
                                + " Example: {\"sandbox\": \"sbx-1\", \"command\": \"echo hi\", \"timeout_seconds\": 9}",
                        Hints.RUNS,
                        ArgumentSchema.of(
                                SANDBOX,
                                Argument.required(
                                        "command", Argument.Text.of(1, COMMAND_LENGTH_MAX), "A line for the shell."),
                                Argument.optional(
                                        "timeout_seconds",
                                        Argument.Whole.between(0, SECONDS_MAX),
                                        "Seconds after which the command is killed; 0 or absent: the server's own.")),
                        OutputSchema.object()
                                .has("exit_code", "integer", "0 means success")
                                .has("stdout", "string", "What it printed")
                                .has("stderr", "string", "What it printed as errors")
                                .mayHave("timed_out", "boolean", "It was killed after the timeout"),
                        this::exec),
                tool(
                        "sandbox_read_file",
                        "Read a file",
                        "Reads a file of a sandbox, at most 10 MiB. Bytes that are not UTF-8 come as base64, and encoding in"
                                + " the structured answer says so."
                                + " Example: {\"sandbox\": \"sbx-1\", \"path\": \"/root/notes.txt\"}",
                        Hints.LOOKS,
                        ArgumentSchema.of(SANDBOX, PATH),
                        OutputSchema.object()
                                .has("content", "string", "What is in it")
                                .has("size", "integer", "Its bytes")
                                .mayHave("encoding", "string", "base64 when it is not text"),
                        this::read),
                tool(
                        "sandbox_write_file",
                        "Write a file",
                        "Creates or overwrites a file of a sandbox. Example: {\"sandbox\": \"sbx-1\", \"path\":"
                                + " \"/root/notes.txt\", \"content\": \"hello\\n\"}",
                        new Hints(false, true, true, false),
                        ArgumentSchema.of(
                                SANDBOX,
                                PATH,
                                Argument.required(
                                        "content", Argument.Text.of(0, CONTENT_LENGTH_MAX), "The whole new content."),
                                Argument.optional(
                                        "encoding",
                                        Argument.Choice.of("utf-8", "base64"),
                                        "How content stands for bytes; utf-8 unless said.")),
                        OutputSchema.object().has("bytes", "integer", "Bytes written"),
                        this::write));
    }

    private List<McpTool> copiesAndEnd() {
        return List.of(
                tool(
                        "sandbox_fork",
                        "Fork a sandbox",
                        "Forks a running sandbox into copies that start from its state; answers with their ids. Either all"
                                + " copies are made or none is left."
                                + " Example: {\"sandbox\": \"sbx-1\", \"replicas\": 3}",
                        Hints.ADDS,
                        ArgumentSchema.of(
                                SANDBOX,
                                Argument.optional(
                                        "replicas",
                                        Argument.Whole.between(1, REPLICAS_MAX).orElse(1),
                                        "How many copies.")),
                        OutputSchema.object().has("ids", "array", "The copies"),
                        this::fork),
                tool(
                        "sandbox_terminate",
                        "Terminate a sandbox",
                        "Destroys a sandbox and frees what it used. Cannot be undone."
                                + " Example: {\"sandbox\": \"sbx-1\"}",
                        Hints.DESTROYS,
                        ArgumentSchema.of(SANDBOX),
                        OutputSchema.object().has("id", "string", "The sandbox that is gone"),
                        this::terminate));
    }

    private ToolAnswer create(ToolCall call) throws InterruptedException {
        String id = calls.create(call.arguments().text("pool"));
        return ToolAnswer.of(id, Json.object().put("id", id));
    }

    private ToolAnswer exec(ToolCall call) throws InterruptedException {
        JsonMembers arguments = call.arguments();
        String sandbox = arguments.text("sandbox");
        ExecOutcome outcome =
                calls.exec(sandbox, arguments.text("command"), arguments.integer("timeout_seconds", 0), call::progress);
        log.add(sandbox, arguments.text("command"), outcome);
        ObjectNode text = Json.object()
                .put("exit_code", outcome.exitCode())
                .put("stdout", outcome.stdout())
                .put("stderr", outcome.stderr());
        return ToolAnswer.of(Json.text(text), text.deepCopy().put("timed_out", outcome.timedOut()));
    }

    private ToolAnswer read(ToolCall call) throws InterruptedException {
        byte[] bytes =
                calls.read(call.arguments().text("sandbox"), call.arguments().text("path"));
        FileText file = FileText.of(bytes);
        return ToolAnswer.of(file.content(), file.putInto(Json.object()).put("size", bytes.length));
    }

    private ToolAnswer write(ToolCall call) throws InterruptedException {
        JsonMembers arguments = call.arguments();
        var file = new FileText(
                arguments.text("content"),
                arguments.optionalText("encoding").orElse("utf-8").equals("base64"));
        byte[] bytes = file.bytes()
                .orElseThrow(() -> new ToolFailure(
                        "invalid_arguments",
                        "sandbox_write_file: content is not base64",
                        "send base64 as encoding says, or leave encoding out"));
        String sandbox = arguments.text("sandbox");
        calls.write(sandbox, arguments.text("path"), file);
        return ToolAnswer.of(
                "Wrote " + bytes.length + " bytes to " + arguments.text("path") + " in sandbox " + sandbox,
                Json.object().put("bytes", bytes.length));
    }

    private ToolAnswer fork(ToolCall call) throws InterruptedException {
        List<String> ids =
                calls.fork(call.arguments().text("sandbox"), call.arguments().integer("replicas", 1), call::progress);
        ArrayNode array = Json.array();
        ids.forEach(array::add);
        ObjectNode structured = Json.object();
        structured.set("ids", array);
        return ToolAnswer.of(Json.text(array), structured);
    }

    private ToolAnswer terminate(ToolCall call) throws InterruptedException {
        String sandbox = call.arguments().text("sandbox");
        calls.terminate(sandbox);
        log.forget(sandbox);
        return ToolAnswer.of("Terminated sandbox " + sandbox, Json.object().put("id", sandbox));
    }

    static McpTool tool(
            String name,
            String title,
            String description,
            Hints hints,
            ArgumentSchema input,
            OutputSchema output,
            McpTool.Work work) {
        return new McpTool(name, title, description, hints, input, Optional.of(output.toJson()), call -> {
            try {
                return work.run(call);
            } catch (ServerRefusal e) {
                String remedy = e.remediation().isEmpty()
                        ? "check the id and the arguments, and whether the sandbox server is up; then try again"
                        : e.remediation();
                throw new ToolFailure(e.code(), "the " + name + " operation failed: " + e.reason(), remedy);
            }
        });
    }

    /// The envelope that every client of this server knows.
    private static ToolAnswer failed(ToolFailure failure) {
        ObjectNode envelope = Json.object()
                .put("code", failure.code())
                .put("cause", failure.reason())
                .put("remediation", failure.remedy());
        return ToolAnswer.failed(Json.text(envelope), envelope.deepCopy());
    }
}
