package dev.capsem.service.v1.exec;

import dev.capsem.service.http.Answer;
import dev.capsem.service.http.Call;
import dev.capsem.service.http.Refusal;
import dev.capsem.service.sandboxes.Commands;
import dev.capsem.service.v1.ApiProblem;
import dev.capsem.service.v1.Bodies;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/// `/v1/exec` and `/v1/exec/stream`
public final class ExecDesk {
    private static final String NDJSON = "application/x-ndjson";
    /// Written in silences: a client that left is noticed by it, and its command is killed.
    private static final byte[] ALIVE = line(Json.object().put("type", "alive"));

    private final Commands commands;
    private final Streams streams;

    public ExecDesk(Commands commands, Streams streams) {
        this.commands = commands;
        this.streams = streams;
    }

    public Answer exec(Call call) {
        JsonMembers body = Bodies.of(call);
        String id = Bodies.sandbox(body);
        boolean base64 = Bodies.wantsBase64(body);
        ExecTimeout timeout = ExecTimeout.of(body.optionalNumber("timeout"));
        return commands.exec(id, request(body, timeout), (reply, output) -> {
            ObjectNode result = result(reply, output, base64);
            if (!reply.timedOut()) {
                return new Answer.Content("application/json", Json.bytes(result), Optional.empty());
            }
            ApiProblem problem = new ApiProblem(
                            ApiProblem.Code.EXEC_TIMEOUT,
                            "the command was killed after " + timeout.seconds() + " seconds",
                            "give it more time with timeout, or run it in the background")
                    .with("sandbox", id)
                    .with("timeout_s", timeout.seconds());
            ObjectNode json = problem.toJson();
            json.set("result", result);
            return new Answer.JsonBody(problem.status(), json);
        });
    }

    private static ObjectNode result(ExecReply reply, Commands.Output output, boolean base64) {
        ObjectNode json = Json.object().put("exit_code", reply.exitCode());
        if (base64) {
            json.put("stdout", Base64.getEncoder().encodeToString(output.stdout()))
                    .put("stderr", Base64.getEncoder().encodeToString(output.stderr()))
                    .put("encoding", "base64");
        } else {
            json.put("stdout", reply.stdout()).put("stderr", reply.stderr());
        }
        json.put("exec_time_ms", reply.durationMs()).put("truncated", reply.truncated());
        reply.message().ifPresent(message -> json.put("message", message));
        return json;
    }

    public Answer stream(Call call) {
        JsonMembers body = Bodies.of(call);
        String id = Bodies.sandbox(body);
        ExecRequest request = request(body, ExecTimeout.of(body.optionalNumber("timeout")));
        commands.requireStartable(id, request);
        Streams.Place place = streams.take(id);
        return new Answer.Stream(NDJSON, sink -> {
            try (place) {
                commands.stream(id, request, event -> sink.write(line(json(event))), () -> sink.write(ALIVE));
            } catch (Refusal e) {
                sink.write(line(ApiProblem.of(e, ApiProblem.Code.EXEC_FAILED)
                        .with("sandbox", id)
                        .toJson()
                        .put("type", "error")));
            }
        });
    }

    private static ObjectNode json(ExecEvent event) {
        ObjectNode json = event.toJson();
        if (event instanceof ExecEvent.Exited exited) {
            json.put("exec_time_ms", exited.durationMs());
            json.remove("duration_ms");
        }
        return json;
    }

    private static byte[] line(ObjectNode json) {
        byte[] bytes = Json.bytes(json);
        byte[] line = Arrays.copyOf(bytes, bytes.length + 1);
        line[bytes.length] = '\n';
        return line;
    }

    private static ExecRequest request(JsonMembers body, ExecTimeout timeout) {
        return new ExecRequest(
                new ExecRequest.Command.Shell(body.text("command")),
                body.optionalText("stdin").map(_ -> Bodies.content(body, "stdin")),
                body.textMap("env"),
                body.optionalText("cwd"),
                Optional.of(timeout.seconds()),
                Optional.of("api"));
    }
}
