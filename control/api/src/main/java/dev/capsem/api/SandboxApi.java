package dev.capsem.api;

import static dev.capsem.http.Route.BodyKind.JSON;
import static dev.capsem.http.Route.BodyKind.OPTIONAL_JSON;

import dev.capsem.http.Api;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.sandbox.workspace.ApplyOutcome;
import dev.capsem.sandbox.workspace.ProjectReplies;
import dev.capsem.sandbox.workspace.ProjectWorkspace;
import dev.capsem.sandbox.workspace.tree.WorkspaceException;
import dev.capsem.service.problem.ServiceProblem;
import dev.capsem.service.sandboxes.Sandboxes;
import dev.capsem.service.sandboxes.SessionCopier;
import dev.capsem.service.table.Activities;
import dev.capsem.service.table.Instance;
import dev.capsem.service.table.Sandbox;
import dev.capsem.service.table.SessionLedger;
import dev.capsem.service.views.SandboxViews;
import dev.capsem.wire.SandboxSpec;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import dev.capsem.wire.service.ApplyReply;
import dev.capsem.wire.service.ApplyRequest;
import dev.capsem.wire.service.ForkReply;
import dev.capsem.wire.service.ProvisionReply;
import dev.capsem.wire.service.ProvisionRequest;
import dev.capsem.wire.service.PurgeReply;
import dev.capsem.wire.service.StopReply;
import dev.capsem.wire.service.SuspendReply;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Routes about a sandbox's life and its project.
public final class SandboxApi implements Api {
    private final Sandboxes sandboxes;
    private final SandboxViews views;
    private final ProvisionWarnings warnings;
    private final Activities activities;

    public SandboxApi(Sandboxes sandboxes, SandboxViews views, ProvisionWarnings warnings, Activities activities) {
        this.sandboxes = sandboxes;
        this.views = views;
        this.warnings = warnings;
        this.activities = activities;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.post("/provision", JSON, this::provision)
                        .answers(
                                "{id, uds_path, mode, profile_id, warnings?, hidden?}",
                                "Creates a sandbox and starts it."),
                Route.get("/list", this::list).answers("{sandboxes: […]}", "All sandboxes."),
                Route.get("/info/{id}", this::info).answers("a sandbox", "One sandbox."),
                Route.post("/stop/{id}", OPTIONAL_JSON, this::stop)
                        .answers("{success, persistent}", "Ends it; a temporary one is gone."),
                Route.post("/suspend/{id}", OPTIONAL_JSON, this::suspend)
                        .answers("{success, mode}", "Makes a persistent sandbox stand still."),
                Route.post("/resume/{name}", OPTIONAL_JSON, this::resume)
                        .answers(
                                "as /provision",
                                "Goes on with a suspended sandbox (mode thaw), starts a stopped one (mode cold)."),
                Route.post("/persist/{id}", JSON, this::persist)
                        .answers(
                                "{success, name}",
                                "Keeps a running temporary sandbox under a name, which becomes its id."),
                Route.post("/fork/{id}", JSON, this::fork)
                        .answers("{name, size_bytes}", "Copies a sandbox into a new stopped persistent one."),
                Route.delete("/delete/{id}", this::delete)
                        .answers("{success}", "Ends it if it runs and removes all of it."),
                Route.post("/purge", OPTIONAL_JSON, this::purge)
                        .answers(
                                "{purged, persistent_purged, ephemeral_purged}",
                                "Deletes all temporary sandboxes; with {\"all\": true} the persistent ones too."),
                Route.get("/diff/{id}", this::diff)
                        .answers(
                                "{project, changes, unified, truncated, cut, ignored, commits, skipped, held, digest}",
                                "What changed in the sandbox's copy of the project; ?path= (repeatable) chooses, ?ignored=true shows what git ignores."),
                Route.post("/apply/{id}", OPTIONAL_JSON, this::apply)
                        .answers(
                                "{applied, merged, refused, skipped, held, failed, branches, kept?, ignored}",
                                "Brings changes back into the project, and commits as branches; {paths, force, ignored, commits, branch, as}."));
    }

    HttpAnswer provision(RouteCall call) {
        ProvisionRequest request = ProvisionRequest.fromJson(call.json());
        SessionLedger.Mode mode = request.persistent() ? SessionLedger.Mode.PERSISTENT : SessionLedger.Mode.TEMPORARY;
        Sandboxes.Provisioned provisioned = sandboxes.provision(request, mode, Optional.empty());
        return reply(provisioned, warnings.of(request, provisioned.sandbox()));
    }

    private static HttpAnswer reply(Sandboxes.Provisioned provisioned, List<String> warnings) {
        Sandbox sandbox = provisioned.sandbox();
        String socket =
                sandbox.instance().map(Instance::socket).map(Object::toString).orElse("");
        return HttpAnswer.json(new ProvisionReply(
                        sandbox.id().value(),
                        socket,
                        provisioned.mode(),
                        Optional.of(sandbox.facts().profileId()),
                        warnings,
                        sandbox.facts().view().hidden())
                .toJson());
    }

    HttpAnswer list(RouteCall call) {
        ObjectNode json = Json.object();
        ArrayNode all = json.putArray("sandboxes");
        views.all().forEach(summary -> all.add(summary.toJson()));
        return HttpAnswer.json(json);
    }

    HttpAnswer info(RouteCall call) {
        return HttpAnswer.json(views.of(call.variable("id")).toJson());
    }

    HttpAnswer stop(RouteCall call) {
        return HttpAnswer.json(new StopReply(sandboxes.stop(call.variable("id"))).toJson());
    }

    HttpAnswer suspend(RouteCall call) {
        return HttpAnswer.json(new SuspendReply(sandboxes.suspend(call.variable("id"))).toJson());
    }

    HttpAnswer resume(RouteCall call) {
        Sandboxes.Provisioned resumed = sandboxes.resume(call.variable("name"));
        return reply(resumed, warnings.of(resumed.sandbox()));
    }

    HttpAnswer persist(RouteCall call) {
        String name = JsonMembers.of(call.json(), "").text("name");
        Sandbox kept = sandboxes.persist(call.variable("id"), name);
        return HttpAnswer.json(
                Json.object().put("success", true).put("name", kept.id().value()));
    }

    HttpAnswer fork(RouteCall call) {
        JsonMembers json = JsonMembers.of(call.json(), "");
        SessionCopier.Forked forked =
                sandboxes.fork(call.variable("id"), json.text("name"), json.optionalText("description"));
        return HttpAnswer.json(new ForkReply(forked.name().value(), forked.sizeBytes()).toJson());
    }

    HttpAnswer delete(RouteCall call) {
        sandboxes.delete(call.variable("id"));
        return HttpAnswer.json(Json.object().put("success", true));
    }

    HttpAnswer purge(RouteCall call) {
        boolean all = JsonMembers.of(call.json(), "").flag("all", false);
        Sandboxes.Purged purged = sandboxes.purge(all);
        return HttpAnswer.json(new PurgeReply(purged.persistent(), purged.temporary()).toJson());
    }

    HttpAnswer diff(RouteCall call) {
        var choice = new ProjectWorkspace.Choice(
                call.queries("path"), call.queries("ignored").contains("true"));
        return inProject(
                call,
                (project, workspace) -> HttpAnswer.json(ProjectReplies.of(project.source(), workspace.diff(choice))
                        .toJson()));
    }

    HttpAnswer apply(RouteCall call) {
        ApplyRequest request = ApplyRequest.fromJson(call.json());
        var choice = new ProjectWorkspace.Choice(request.paths(), request.ignored());
        return inProject(call, (project, workspace) -> {
            ApplyOutcome outcome = request.branch()
                    ? workspace.applyBranch()
                    : request.commits()
                            ? workspace.applyCommits()
                            : workspace.apply(choice, new ProjectWorkspace.Terms(request.force(), request.as()));
            ApplyReply reply = ProjectReplies.of(project.source(), outcome);
            activities.changed(sandboxes.find(call.variable("id")).facts());
            return new HttpAnswer.JsonBody(reply.refused().isEmpty() ? 200 : 409, reply.toJson());
        });
    }

    private HttpAnswer inProject(RouteCall call, BiFunction<SandboxSpec.Project, ProjectWorkspace, HttpAnswer> work) {
        Sandbox sandbox = sandboxes.find(call.variable("id"));
        SandboxSpec.Project project = sandbox.facts()
                .project()
                .filter(given -> given.access() == SandboxSpec.Project.Access.COPY_ON_WRITE)
                .orElseThrow(() -> new ServiceProblem(
                        ServiceProblem.Code.NO_PROJECT,
                        "the sandbox " + sandbox.id() + " holds no copy of a project",
                        "create one with a project: `capsem create --workspace DIR`"));
        try {
            return work.apply(project, sandboxes.projects().workspace(project, sandbox.facts()));
        } catch (WorkspaceException e) {
            throw new ServiceProblem(code(e), String.valueOf(e.getMessage()), e.remedy(), e);
        }
    }

    private static ServiceProblem.Code code(WorkspaceException e) {
        return switch (e.code()) {
            case NO_SUCH_CHANGE -> ServiceProblem.Code.FILE_NOT_FOUND;
            case NOT_AS_READ -> ServiceProblem.Code.NOT_AS_READ;
            case GIT_OWN -> ServiceProblem.Code.BAD_PATH;
            case PROJECT_TOO_LARGE, TOO_MANY_CHANGES -> ServiceProblem.Code.TOO_LARGE;
            case PROJECT_UNREADABLE, MANIFEST_DAMAGED -> ServiceProblem.Code.BAD_PROJECT;
            case APPLY_INCOMPLETE -> ServiceProblem.Code.OPERATION_FAILED;
        };
    }
}
