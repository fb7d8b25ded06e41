package dev.capsem.api;

import static dev.capsem.http.Route.BodyKind.JSON;

import dev.capsem.http.Api;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.HttpProblem;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.processes.ProcessConnection;
import dev.capsem.service.processes.ProcessConnector;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.table.Sandbox;
import dev.capsem.wire.io.IpcException;
import dev.capsem.wire.ipc.Answered;
import dev.capsem.wire.ipc.FailureCode;
import dev.capsem.wire.ipc.ProcessMessage;
import dev.capsem.wire.ipc.ServiceMessage;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Routes about the MCP servers and tools of running sandboxes. None of them calls a tool: that is the guest's to do,
/// through the door.
public final class McpApi implements Api {
    /// The first list waits for servers that are still connecting, and for the aggregator itself.
    private static final Duration ANSWER_MAX = Duration.ofSeconds(30);

    private final Sandboxes sandboxes;
    private final ProcessConnector connector;

    public McpApi(Sandboxes sandboxes, ProcessConnector connector) {
        this.sandboxes = sandboxes;
        this.connector = connector;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/mcp/tools/{id}", this::tools)
                        .answers(
                                "{servers: […], tools: […]}",
                                "The MCP servers and tools of a running sandbox, or of its ?server=; connects and lists, calls"
                                        + " nothing."),
                Route.post("/mcp/tools/{id}/approve", JSON, this::approve)
                        .answers("as GET", "Agrees to {tools: [name]} as they are now, or to {all: true}."));
    }

    HttpAnswer tools(RouteCall call) {
        ObjectNode all = ask(call.variable("id"), new ServiceMessage.GetTools());
        all.path("servers").forEach(McpApi::keepReason);
        Optional<String> server = call.query("server");
        return HttpAnswer.json(server.isPresent() ? only(server.get(), all) : all);
    }

    /// A sandbox that was made to try its servers is gone afterwards, and its logs with it.
    private static void keepReason(JsonNode server) {
        if (!server.path("enabled").asBoolean(true) || !server.has("error")) {
            return;
        }
        List<String> said = new ArrayList<>();
        server.path("log").forEach(line -> said.add(line.asString("")));
        logger().atWarn()
                .addKeyValue("server", server.path("name").asString(""))
                .addKeyValue("reason", server.path("error").asString(""))
                .addKeyValue("ended", server.path("ended").asString(""))
                .addKeyValue("said", String.join(" | ", said))
                .log("mcp.server.failed");
    }

    HttpAnswer approve(RouteCall call) {
        JsonMembers body = JsonMembers.of(call.json(), "");
        List<String> names = body.texts("tools");
        if (names.isEmpty() != body.flag("all", false)) {
            throw new HttpProblem(
                    HttpProblem.Code.WRONG_SHAPE,
                    "name the tools, or say all",
                    "send {\"tools\": [name]} or {\"all\": true}");
        }
        return HttpAnswer.json(ask(call.variable("id"), new ServiceMessage.ApproveTools(names)));
    }

    private ObjectNode ask(String id, ServiceMessage.Query<ProcessMessage.Tools> question) {
        Sandbox sandbox = sandboxes.running(id);
        if (sandbox.instance().isEmpty()) {
            throw new ServiceProblem(ServiceProblem.Code.NOT_RUNNING, id + " does not run", "resume it first");
        }
        try (ProcessConnection connection =
                connector.open(sandbox.instance().get().socket(), ANSWER_MAX)) {
            return switch (connection.ask(question)) {
                case Answered.With<ProcessMessage.Tools>(ProcessMessage.Tools(String json)) ->
                    (ObjectNode) Json.parse(json.getBytes(StandardCharsets.UTF_8));
                case Answered.Failure<ProcessMessage.Tools>(ProcessMessage.Failed failed) ->
                    throw new ServiceProblem(
                            failed.code() == FailureCode.TOOL_NOT_FOUND
                                    ? ServiceProblem.Code.TOOL_NOT_FOUND
                                    : ServiceProblem.Code.OPERATION_FAILED,
                            failed.cause(),
                            failed.remedy());
                case Answered.Closed<ProcessMessage.Tools> _ ->
                    throw new ServiceProblem(
                            ServiceProblem.Code.SANDBOX_LOST, "the process of " + id + " is gone", "look at its logs");
            };
        } catch (IpcException e) {
            throw new ServiceProblem(
                    ServiceProblem.Code.SANDBOX_LOST,
                    "the process of " + id + " does not answer",
                    "look at its logs",
                    e);
        }
    }

    private static ObjectNode only(String server, ObjectNode all) {
        ObjectNode json = Json.object();
        copy(all.path("servers"), "name", server, json.putArray("servers"));
        copy(all.path("tools"), "server_name", server, json.putArray("tools"));
        if (json.path("servers").isEmpty()) {
            throw new ServiceProblem(
                    ServiceProblem.Code.SERVER_NOT_FOUND,
                    "there is no MCP server " + server + " in this sandbox",
                    "add it to the profile, then reload");
        }
        return json;
    }

    private static Logger logger() {
        return LoggerFactory.getLogger(McpApi.class);
    }

    private static void copy(JsonNode from, String member, String value, ArrayNode into) {
        for (JsonNode item : from) {
            if (item.path(member).asString("").equals(value)) {
                into.add(item);
            }
        }
    }
}
