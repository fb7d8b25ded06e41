package dev.capsem.api;

import static dev.capsem.http.Route.BodyKind.JSON;

import dev.capsem.http.Api;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.HttpProblem;
import dev.capsem.http.LongJson;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.service.commands.Commands;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SessionLedger;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.service.ExecEvent;
import dev.capsem.wire.service.ExecRequest;
import dev.capsem.wire.service.RunRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.node.ObjectNode;

/// Routes that run commands.
public final class CommandApi implements Api {
    private static final String NDJSON = "application/x-ndjson";
    /// Readers skip types they do not know; a reader who left is noticed by it.
    private static final byte[] ALIVE = "{\"type\":\"alive\"}\n".getBytes(StandardCharsets.UTF_8);

    private final Sandboxes sandboxes;
    private final Commands commands;
    private final ProvisionWarnings warnings;

    public CommandApi(Sandboxes sandboxes, Commands commands, ProvisionWarnings warnings) {
        this.sandboxes = sandboxes;
        this.commands = commands;
        this.warnings = warnings;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.post("/exec/{id}", JSON, this::exec)
                        .answers(
                                "{stdout, stderr, exit_code, duration_ms, stdout_bytes, stderr_bytes, truncated, timed_out}, or "
                                        + "lines with Accept: application/x-ndjson",
                                "Runs a command."),
                Route.get("/exec/{id}/pty", this::terminal)
                        .answers("WebSocket", "Runs a command with a terminal, or with pipes."),
                Route.post("/run", JSON, this::run)
                        .answers(
                                "as /exec",
                                "A temporary sandbox for one command: /provision, /exec and /delete in one."));
    }

    HttpAnswer exec(RouteCall call) {
        ExecRequest request = ExecRequest.fromJson(call.json());
        String id = call.variable("id");
        if (!call.request().accepts(NDJSON)) {
            return whole(id, request, call, List.of());
        }
        commands.requireStartable(id, request);
        return new HttpAnswer.Stream(NDJSON, sink -> stream(id, request, lines(sink), sink));
    }

    HttpAnswer terminal(RouteCall call) {
        String id = call.variable("id");
        sandboxes.running(id);
        return new HttpAnswer.Upgrade(Optional.empty(), new TerminalSocket(id, commands));
    }

    HttpAnswer run(RouteCall call) {
        RunRequest request = RunRequest.fromJson(call.json());
        if (request.sandbox().persistent()) {
            throw new HttpProblem(
                    HttpProblem.Code.WRONG_SHAPE,
                    "a sandbox for one command is not persistent",
                    "create one and run the command in it: POST /provision, POST /exec/{id}");
        }
        Commands.check(request.exec());
        Sandbox sandbox = sandboxes
                .provision(request.sandbox(), SessionLedger.Mode.RUN, Optional.of(Commands.shown(request.exec())))
                .sandbox();
        String id = sandbox.id().value();
        ExecRequest exec = inProject(request.exec(), sandbox);
        List<String> said = warnings.of(request.sandbox(), sandbox);
        if (call.request().accepts(NDJSON)) {
            return new HttpAnswer.Stream(NDJSON, sink -> {
                try {
                    stream(id, exec, warned(said, lines(sink)), sink);
                } finally {
                    sandboxes.delete(id);
                }
            });
        }
        try {
            return whole(id, exec, call, said);
        } finally {
            sandboxes.delete(id);
        }
    }

    /// A command for one project begins there.
    private static ExecRequest inProject(ExecRequest exec, Sandbox sandbox) {
        ExecRequest sourced = exec.source().isPresent() ? exec : exec.withSource("run");
        return sandbox.facts()
                .project()
                .filter(_ -> sourced.cwd().isEmpty())
                .map(project -> sourced.withCwd("/root/" + project.name()))
                .orElse(sourced);
    }

    /// A caller who leaves ends the command.
    private HttpAnswer whole(String id, ExecRequest request, RouteCall call, List<String> said) {
        Commands.Finished finished = commands.finish(id, request, call.request().caller()::requireThere);
        return new HttpAnswer.LongBody(200, new Whole(finished, said));
    }

    private record Whole(Commands.Finished finished, List<String> warnings) implements HttpAnswer.Document {
        @Override
        public void write(JsonGenerator out) {
            ObjectNode facts = finished.facts().toJson();
            if (!warnings.isEmpty()) {
                warnings.forEach(facts.putArray("warnings")::add);
            }
            facts.remove(List.of("stdout", "stderr"));
            out.writeStartObject();
            LongJson.text(out, "stdout", finished.stdout().open());
            LongJson.text(out, "stderr", finished.stderr().open());
            LongJson.members(out, facts);
            out.writeEndObject();
        }

        @Override
        public void close() {
            finished.close();
        }
    }

    private static Consumer<ExecEvent> warned(List<String> said, Consumer<ExecEvent> events) {
        return event -> events.accept(
                event instanceof ExecEvent.Started started
                        ? new ExecEvent.Started(started.sandbox(), started.pid(), said)
                        : event);
    }

    private void stream(String id, ExecRequest request, Consumer<ExecEvent> events, HttpAnswer.Sink sink) {
        try {
            commands.stream(id, request, events, () -> sink.write(ALIVE));
        } catch (ServiceProblem e) {
            events.accept(new ExecEvent.Failed(ServiceErrors.error(e)));
        }
    }

    private static Consumer<ExecEvent> lines(HttpAnswer.Sink sink) {
        return event -> {
            byte[] json = Json.bytes(event.toJson());
            byte[] line = Arrays.copyOf(json, json.length + 1);
            line[json.length] = '\n';
            sink.write(line);
        };
    }
}
