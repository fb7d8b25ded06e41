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
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.service.ExecRequest;
import java.util.List;
import java.util.Optional;

/// Commands in sandboxes.
final class CommandTools {
    /// Builds and tests of ordinary projects end sooner; whoever does not want to wait cancels.
    private static final int SECONDS_DEFAULT = 300;
    private static final int SECONDS_MAX = 86_400;
    /// As long as one argument of a Linux program may be.
    private static final int COMMAND_LENGTH_MAX = 131_071;

    private static final Argument COMMAND = Argument.required(
            "command",
            Argument.Text.of(1, COMMAND_LENGTH_MAX),
            "A line for /bin/sh, run in /root; pipes and && work. stdin is empty.");

    /// As the service itself names it, and clients of other sandboxes.
    private static final Argument ALSO_TIMEOUT = Argument.optional(
            "timeout_secs", Argument.Whole.between(1, SECONDS_MAX), "Another name of timeout; give only one of them.");

    private final SandboxService host;

    CommandTools(SandboxService host) {
        this.host = host;
    }

    List<McpTool> tools() {
        return List.of(
                tool(
                        "capsem_exec",
                        "Run a command",
                        "Runs a shell command in a running sandbox and waits for its end. Answers with exit_code, stdout and"
                                + " stderr; a non-zero exit_code is an answer, not an error of the tool. After the timeout the"
                                + " command is killed, timed_out is true and exit_code 124; message says if it waited for a person's"
                                + " answer. Cancelling the call kills it too."
                                + " Example: {\"id\": \"calm-otter\", \"command\": \"ls -la && uname -s\", \"timeout\": 20}",
                        Hints.RUNS,
                        ArgumentSchema.of(ID, COMMAND, timeout(), ALSO_TIMEOUT),
                        outcome(),
                        call -> run(
                                new RequestTarget("exec", call.arguments().text("id")).toString(),
                                request(call.arguments(), "capsem_exec"),
                                call)),
                tool(
                        "capsem_run",
                        "Run a command in a fresh sandbox",
                        "Makes a temporary sandbox, runs one shell command in it, destroys it. For more than one command use"
                                + " capsem_create and capsem_exec. Example: {\"command\": \"echo $GREETING\", \"env\":"
                                + " {\"GREETING\": \"hello\"}}",
                        Hints.RUNS,
                        ArgumentSchema.of(
                                COMMAND,
                                timeout(),
                                ALSO_TIMEOUT,
                                Argument.optional(
                                        "env",
                                        new Argument.TextMap(256),
                                        "Environment variables of the command. Not for secrets.")),
                        outcome(),
                        call -> run("/run", request(call.arguments(), "capsem_run"), call)));
    }

    private static Argument timeout() {
        return Argument.optional(
                "timeout",
                Argument.Whole.between(1, SECONDS_MAX).orElse(SECONDS_DEFAULT),
                "Seconds after which the command is killed.");
    }

    private static ExecRequest request(JsonMembers arguments, String tool) {
        Optional<Integer> timeout = arguments.optionalInteger("timeout");
        Optional<Integer> also = arguments.optionalInteger("timeout_secs");
        if (timeout.isPresent() && also.isPresent() && !timeout.equals(also)) {
            throw new ToolFailure(
                    "invalid_arguments",
                    tool + ": timeout and timeout_secs differ",
                    "give only timeout; timeout_secs is another name of it");
        }
        return new ExecRequest(
                new ExecRequest.Command.Shell(arguments.text("command")),
                Optional.empty(),
                arguments.textMap("env"),
                Optional.empty(),
                timeout.or(() -> also).or(() -> Optional.of(SECONDS_DEFAULT)),
                Optional.of("mcp"));
    }

    private ToolAnswer run(String target, ExecRequest request, ToolCall call) {
        var outcome = new CommandOutcome(call::progress);
        host.command(target, request, outcome::take);
        return Replies.json(outcome.toJson());
    }

    private static OutputSchema outcome() {
        return OutputSchema.object()
                .has("exit_code", "integer", "0 means success; 124 with timed_out: killed after the timeout")
                .has("stdout", "string", "What it printed")
                .has("stderr", "string", "What it printed as errors")
                .has("timed_out", "boolean", "It was killed after the timeout")
                .has("truncated", "boolean", "Output beyond 1 MiB of a stream is missing")
                .mayHave("duration_ms", "integer", "How long it ran")
                .mayHave("stdout_bytes", "integer", "The true size")
                .mayHave("stderr_bytes", "integer", "The true size")
                .mayHave("message", "string", "Why it could not start, or which questions nobody answered while it ran")
                .mayHave("warnings", "array", "Of capsem_run: what is not as asked for in the sandbox that was made");
    }
}
