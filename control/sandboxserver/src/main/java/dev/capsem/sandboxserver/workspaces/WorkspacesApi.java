package dev.capsem.sandboxserver.workspaces;

import static dev.capsem.http.Route.BodyKind.JSON;
import static dev.capsem.sandboxserver.protocol.Access.LIFECYCLE;
import static dev.capsem.sandboxserver.protocol.Access.READ;

import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.sandboxserver.protocol.ApiProblem;
import dev.capsem.sandboxserver.protocol.Bodies;
import dev.capsem.sandboxserver.protocol.GuardedApi;
import dev.capsem.sandboxserver.protocol.GuardedRoute;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `/v1/workspaces`
public final class WorkspacesApi implements GuardedApi {
    private static final String REVISION =
            "{revision, created_at, message, files, bytes, sha256, sandbox?, revert_of?}";
    private static final int MESSAGE_LENGTH_MAX = 1_000;
    private static final Pattern PATH = Pattern.compile("/root(/(?!\\.{1,2}(/|$))[^/\\x00]{1,255}){1,32}");

    private final Workspaces workspaces;

    public WorkspacesApi(Workspaces workspaces) {
        this.workspaces = workspaces;
    }

    @Override
    public List<GuardedRoute> routes() {
        return List.of(
                READ.to(Route.get("/v1/workspaces", this::list)
                        .answers("[{name, created_at, head, revisions, attached}]", "All workspaces.")),
                LIFECYCLE.to(Route.post("/v1/workspaces", JSON, this::create)
                        .answers("{name, created_at, head, revisions, attached}", "Makes an empty workspace.")),
                LIFECYCLE.to(Route.delete("/v1/workspaces/{name}", this::delete)
                        .answers("{status: \"deleted\", name}", "Removes it with all revisions.")),
                LIFECYCLE
                        .to(Route.post("/v1/workspaces/{name}/attach", JSON, this::attach)
                                .answers(
                                        "{status: \"attached\", workspace, sandbox, path, revision}",
                                        "Copies the newest revision into an empty directory of a sandbox."))
                        .aboutSandbox(),
                LIFECYCLE
                        .to(Route.post("/v1/workspaces/{name}/commit", JSON, this::commit)
                                .answers(
                                        REVISION, "Takes the directory of an attached sandbox as the newest revision."))
                        .aboutSandbox(),
                READ.to(Route.get("/v1/workspaces/{name}/log", this::log)
                        .answers("{name, revisions: [" + REVISION + "]}", "Its revisions, newest first.")),
                READ.to(Route.get("/v1/workspaces/{name}/diff", this::diff)
                        .answers(
                                "{from, to, changes: [{path, change, size}], unified, truncated}",
                                "What changed from revision ?from= (0: nothing) to ?to=; else in the newest.")),
                LIFECYCLE.to(Route.post("/v1/workspaces/{name}/revert", JSON, this::revert)
                        .answers(REVISION, "Makes a new revision with the content of an old one.")));
    }

    public HttpAnswer list(RouteCall call) {
        ArrayNode all = Json.array();
        workspaces.all().forEach(workspace -> all.add(workspace.toJson()));
        return HttpAnswer.json(all);
    }

    public HttpAnswer create(RouteCall call) {
        return HttpAnswer.json(workspaces
                .create(Bodies.id(Bodies.of(call).text("name"), "name"))
                .toJson());
    }

    public HttpAnswer delete(RouteCall call) {
        workspaces.delete(name(call));
        return HttpAnswer.json(Json.object().put("status", "deleted").put("name", name(call)));
    }

    public HttpAnswer attach(RouteCall call) {
        JsonMembers body = Bodies.of(call);
        String path = body.optionalText("path").orElse("/root/" + name(call));
        if (!PATH.matcher(path).matches()) {
            throw new ApiProblem(
                    ApiProblem.Code.INVALID_INPUT,
                    "path is not a directory below /root",
                    "leave it out for /root/NAME");
        }
        String sandbox = Bodies.sandbox(body);
        SharedWorkspace attached = workspaces.attach(name(call), sandbox, path);
        return HttpAnswer.json(Json.object()
                .put("status", "attached")
                .put("workspace", attached.name())
                .put("sandbox", sandbox)
                .put("path", path)
                .put("revision", attached.head().map(Revision::number).orElse(0)));
    }

    public HttpAnswer commit(RouteCall call) {
        JsonMembers body = Bodies.of(call);
        String message = body.optionalText("message").orElse("");
        if (message.length() > MESSAGE_LENGTH_MAX) {
            throw new ApiProblem(
                    ApiProblem.Code.INVALID_INPUT,
                    "message is longer than " + MESSAGE_LENGTH_MAX + " characters",
                    "shorten it");
        }
        return HttpAnswer.json(
                workspaces.commit(name(call), Bodies.sandbox(body), message).toJson());
    }

    public HttpAnswer log(RouteCall call) {
        SharedWorkspace workspace = workspaces.get(name(call));
        ObjectNode json = Json.object().put("name", workspace.name());
        ArrayNode all = json.putArray("revisions");
        workspace.revisions().reversed().forEach(revision -> all.add(revision.toJson()));
        return HttpAnswer.json(json);
    }

    public HttpAnswer diff(RouteCall call) {
        SharedWorkspace workspace = workspaces.get(name(call));
        int head = workspace
                .head()
                .map(Revision::number)
                .orElseThrow(() -> ApiProblem.conflict(
                        "the workspace has no revision yet", "attach it, change something, and commit"));
        int to = call.query("to", head, 1, Integer.MAX_VALUE);
        int from = call.query("from", to - 1, 0, Integer.MAX_VALUE);
        Optional<Integer> before = from == 0 ? Optional.empty() : Optional.of(from);
        ObjectNode json = Json.object().put("from", from).put("to", to);
        json.setAll(workspaces.diff(workspace.name(), before, to).toJson());
        return HttpAnswer.json(json);
    }

    public HttpAnswer revert(RouteCall call) {
        int revision = Bodies.of(call).integer("revision");
        return HttpAnswer.json(workspaces.revert(name(call), revision).toJson());
    }

    private static String name(RouteCall call) {
        return Bodies.id(call.variable("name"), "name");
    }
}
