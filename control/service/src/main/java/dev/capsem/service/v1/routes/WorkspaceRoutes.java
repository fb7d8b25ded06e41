package dev.capsem.service.v1.routes;

import static dev.capsem.service.http.Route.BodyKind.JSON;
import static dev.capsem.service.http.Route.BodyKind.NONE;
import static dev.capsem.service.v1.Access.LIFECYCLE;
import static dev.capsem.service.v1.Access.READ;
import static dev.capsem.service.v1.routes.SandboxServerRoutes.route;

import dev.capsem.service.v1.SandboxServer;
import dev.capsem.service.v1.sandboxes.Ended;
import dev.capsem.service.v1.workspaces.WorkspacesDesk;
import java.util.List;

/// Routes about workspaces.
final class WorkspaceRoutes {
    private static final String REVISION =
            "{revision, created_at, message, files, bytes, sha256, sandbox?, revert_of?}";

    private WorkspaceRoutes() {}

    static List<SandboxServer.Guarded> of(WorkspacesDesk desk, Ended ended) {
        return List.of(
                route(
                        READ,
                        "GET",
                        "/v1/workspaces",
                        NONE,
                        "[{name, created_at, head, revisions, attached}]",
                        "All workspaces.",
                        desk::list),
                route(
                        LIFECYCLE,
                        "POST",
                        "/v1/workspaces",
                        JSON,
                        "{name, created_at, head, revisions, attached}",
                        "Makes an empty workspace.",
                        desk::create),
                route(
                        LIFECYCLE,
                        "DELETE",
                        "/v1/workspaces/{name}",
                        NONE,
                        "{status: \"deleted\", name}",
                        "Removes it with all revisions.",
                        desk::delete),
                route(
                        LIFECYCLE,
                        "POST",
                        "/v1/workspaces/{name}/attach",
                        JSON,
                        "{status: \"attached\", workspace, sandbox, path, revision}",
                        "Copies the newest revision into an empty directory of a sandbox.",
                        ended.explained(desk::attach)),
                route(
                        LIFECYCLE,
                        "POST",
                        "/v1/workspaces/{name}/commit",
                        JSON,
                        REVISION,
                        "Takes the directory of an attached sandbox as the newest revision.",
                        ended.explained(desk::commit)),
                route(
                        READ,
                        "GET",
                        "/v1/workspaces/{name}/log",
                        NONE,
                        "{name, revisions: [" + REVISION + "]}",
                        "Its revisions, newest first.",
                        desk::log),
                route(
                        READ,
                        "GET",
                        "/v1/workspaces/{name}/diff",
                        NONE,
                        "{from, to, changes: [{path, change, size}], unified, truncated}",
                        "What changed from revision ?from= (0: nothing) to ?to=; else in the newest.",
                        desk::diff),
                route(
                        LIFECYCLE,
                        "POST",
                        "/v1/workspaces/{name}/revert",
                        JSON,
                        REVISION,
                        "Makes a new revision with the content of an old one.",
                        desk::revert));
    }
}
