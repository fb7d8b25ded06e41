package dev.capsem.sandboxserver.exec;

import static dev.capsem.http.Route.BodyKind.JSON;
import static dev.capsem.sandboxserver.protocol.Access.EXECUTE;

import dev.capsem.http.HttpAnswer;
import dev.capsem.http.LongJson;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.sandboxserver.protocol.Bodies;
import dev.capsem.sandboxserver.protocol.GuardedApi;
import dev.capsem.sandboxserver.protocol.GuardedRoute;
import dev.capsem.service.commands.Commands;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecReply;
import dev.capsem.wire.service.ExecRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.node.ObjectNode;

/// `/v1/exec` and `/v1/exec/stream`
public final class ExecApi implements GuardedApi {
    private static final String NDJSON = "application/x-ndjson";
    /// Written in silences: a client that left is noticed by it, and its command is killed.
    private static final byte[] ALIVE = line(Json.object().put("type", "alive"));

    private final Commands commands;
    private final Streams streams;

    public ExecApi(Commands commands, Streams streams) {
        this.commands = commands;
        this.streams = streams;
    }

    @Override
    public List<GuardedRoute> routes() {
        return List.of(
                EXECUTE.to(Route.post("/v1/exec", JSON, this::exec)
                                .answers(
                                        "{exit_code, stdout, stderr, exec_time_ms, truncated}",
                                        "Runs a shell command."))
                        .aboutSandbox(),
                EXECUTE.to(Route.post("/v1/exec/stream", JSON, this::stream)
                                .answers("lines of JSON", "The same, with its output while it runs."))
                        .aboutSandbox());
    }

    /// A client that leaves ends the command.
    public HttpAnswer exec(RouteCall call) {
        JsonMembers body = Bodies.of(call);
        String id = Bodies.sandbox(body);
        boolean base64 = Bodies.wantsBase64(body);
        ExecTimeout timeout = ExecTimeout.of(body.optionalNumber("timeout"));
        Commands.Finished finished =
                commands.finish(id, request(body, timeout), call.request().caller()::requireThere);
        if (!finished.facts().timedOut()) {
            return new HttpAnswer.LongBody(200, new Result(finished, base64, Optional.empty()));
        }
        ApiProblem problem = new ApiProblem(
                        ApiProblem.Code.EXEC_TIMEOUT,
                        "the command was killed after " + timeout.seconds() + " seconds",
                        "give it more time with timeout, or run it in the background")
                .with("sandbox", id)
                .with("timeout_s", timeout.seconds());
        return new HttpAnswer.LongBody(problem.status(), new Result(finished, base64, Optional.of(problem)));
    }

    /// @param problem present: said before the result
    private record Result(Commands.Finished finished, boolean base64, Optional<ApiProblem> problem)
            implements HttpAnswer.Document {
        @Override
        public void write(JsonGenerator out) {
            out.writeStartObject();
            problem.ifPresent(said -> {
                LongJson.members(out, said.toJson());
                out.writeName("result");
                out.writeStartObject();
            });
            writeResult(out);
            if (problem.isPresent()) {
                out.writeEndObject();
            }
            out.writeEndObject();
        }

        private void writeResult(JsonGenerator out) {
            ExecReply facts = finished.facts();
            LongJson.members(out, Json.object().put("exit_code", facts.exitCode()));
            output(out, "stdout", finished.stdout());
            output(out, "stderr", finished.stderr());
            ObjectNode rest = Json.object();
            if (base64) {
                rest.put("encoding", "base64");
            }
            rest.put("exec_time_ms", facts.durationMs()).put("truncated", facts.truncated());
            facts.message().ifPresent(message -> rest.put("message", message));
            LongJson.members(out, rest);
        }

        private void output(JsonGenerator out, String name, Commands.Output output) {
            if (base64) {
                LongJson.base64(out, name, output.open(), output.size());
            } else {
                LongJson.text(out, name, output.open());
            }
        }

        @Override
        public void close() {
            finished.close();
        }
    }

    public HttpAnswer stream(RouteCall call) {
        JsonMembers body = Bodies.of(call);
        String id = Bodies.sandbox(body);
        ExecRequest request = request(body, ExecTimeout.of(body.optionalNumber("timeout")));
        commands.requireStartable(id, request);
        Streams.Place place = streams.take(id);
        return new HttpAnswer.Stream(NDJSON, sink -> {
            try (place) {
                commands.stream(id, request, event -> sink.write(line(json(event))), () -> sink.write(ALIVE));
            } catch (ServiceProblem e) {
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
