package dev.capsem.service.v1.routes;

import static dev.capsem.service.http.Route.BodyKind.JSON;
import static dev.capsem.service.http.Route.BodyKind.NONE;
import static dev.capsem.service.v1.Access.ADMIN;
import static dev.capsem.service.v1.Access.EXECUTE;
import static dev.capsem.service.v1.Access.LIFECYCLE;
import static dev.capsem.service.v1.Access.OPEN;
import static dev.capsem.service.v1.Access.READ;

import dev.capsem.service.http.Route;
import dev.capsem.service.http.RouteWatch;
import dev.capsem.service.v1.Access;
import dev.capsem.service.v1.SandboxServer;
import dev.capsem.service.v1.connect.ConnectDesk;
import dev.capsem.service.v1.connect.GuestDesk;
import dev.capsem.service.v1.exec.ExecDesk;
import dev.capsem.service.v1.files.FilesDesk;
import dev.capsem.service.v1.gateway.GatewayDesk;
import dev.capsem.service.v1.gateway.TokensDesk;
import dev.capsem.service.v1.reach.Reach;
import dev.capsem.service.v1.sandboxes.Ended;
import dev.capsem.service.v1.sandboxes.SandboxesDesk;
import dev.capsem.service.v1.templates.TemplatesDesk;
import dev.capsem.service.v1.workspaces.WorkspacesDesk;
import java.util.ArrayList;
import java.util.List;

/// The whole table, in the order of the reference.
public final class SandboxServerRoutes {
    private SandboxServerRoutes() {}

    /// Who answers what.
    public record Desks(
            SandboxesDesk sandboxes,
            TemplatesDesk templates,
            ExecDesk exec,
            FilesDesk files,
            WorkspacesDesk workspaces,
            ConnectDesk connect,
            GuestDesk guest,
            TokensDesk tokens,
            Ended ended,
            Reach reach) {}

    public static SandboxServer server(Desks desks, RouteWatch watch) {
        List<SandboxServer.Guarded> routes = new ArrayList<>();
        routes.addAll(sandboxes(desks.sandboxes, desks.templates, desks.ended));
        routes.addAll(commands(desks.exec, desks.ended));
        routes.addAll(files(desks.files, desks.ended));
        routes.addAll(WorkspaceRoutes.of(desks.workspaces, desks.ended));
        routes.addAll(tokens(desks.tokens));
        routes.addAll(ConnectRoutes.of(desks.connect, desks.guest, desks.ended));
        return new SandboxServer(
                routes.stream().map(one -> within(desks.reach, one)).toList(), watch);
    }

    private static SandboxServer.Guarded within(Reach reach, SandboxServer.Guarded guarded) {
        Route route = guarded.route();
        return route(
                guarded.access(),
                route.method(),
                route.pattern(),
                route.body(),
                route.answer(),
                route.purpose(),
                reach.checked(route.handler()));
    }

    static SandboxServer.Guarded route(
            Access access,
            String method,
            String pattern,
            Route.BodyKind body,
            String answer,
            String purpose,
            Route.Handler handler) {
        return new SandboxServer.Guarded(access, new Route(method, pattern, body, answer, purpose, handler));
    }

    private static List<SandboxServer.Guarded> sandboxes(SandboxesDesk desk, TemplatesDesk templates, Ended ended) {
        return List.of(
                route(
                        OPEN,
                        "GET",
                        "/v1/health",
                        NONE,
                        "{status, mock, templates, sandboxes}",
                        "Is it there?",
                        desk::health),
                route(
                        READ,
                        "GET",
                        "/v1/templates",
                        NONE,
                        "[{id, kind, ready, created_at, creation_time_ms, network}]",
                        "What can be forked: registered templates, profiles, persistent sandboxes.",
                        templates::list),
                route(
                        LIFECYCLE,
                        "POST",
                        "/v1/templates",
                        JSON,
                        "{id, kind, ready, created_at, creation_time_ms, network}",
                        "Registers a template.",
                        templates::create),
                route(
                        LIFECYCLE,
                        "POST",
                        "/v1/fork",
                        JSON,
                        "{id, template_id, endpoint, created_at, status, persistent, network, fork_time_ms}",
                        "Creates a sandbox from a template, a profile, an image or another sandbox, and starts it.",
                        desk::fork),
                route(
                        LIFECYCLE,
                        "POST",
                        "/v1/sandboxes/{id}/fork",
                        JSON,
                        "as /v1/fork",
                        "Copies a sandbox, which stands still meanwhile, and starts the copy.",
                        ended.explained(desk::forkLive)),
                route(
                        READ,
                        "GET",
                        "/v1/sandboxes",
                        NONE,
                        "[{id, template_id, endpoint, created_at, status, persistent, deadline_unix?, network}]",
                        "All sandboxes.",
                        desk::list),
                route(
                        READ,
                        "GET",
                        "/v1/sandboxes/{id}",
                        NONE,
                        "one of these",
                        "One sandbox.",
                        ended.explained(desk::one)),
                route(
                        LIFECYCLE,
                        "DELETE",
                        "/v1/sandboxes/{id}",
                        NONE,
                        "{status: \"terminated\", id, workspaces?}",
                        "Ends it and removes all of it; attached workspaces are saved first.",
                        ended.explained(desk::delete)),
                route(
                        LIFECYCLE,
                        "POST",
                        "/v1/pause",
                        JSON,
                        "{status: \"paused\"}",
                        "Freezes it in place.",
                        ended.explained(desk::pause)),
                route(
                        LIFECYCLE,
                        "POST",
                        "/v1/resume",
                        JSON,
                        "{status: \"running\"}",
                        "Lets it go on.",
                        ended.explained(desk::resume)),
                route(
                        LIFECYCLE,
                        "POST",
                        "/v1/set_timeout",
                        JSON,
                        "{status, deadline_unix, timeout_seconds}",
                        "Ends it after so many seconds from now; replaces an earlier deadline.",
                        ended.explained(desk::setTimeout)));
    }

    private static List<SandboxServer.Guarded> commands(ExecDesk desk, Ended ended) {
        return List.of(
                route(
                        EXECUTE,
                        "POST",
                        "/v1/exec",
                        JSON,
                        "{exit_code, stdout, stderr, exec_time_ms, truncated}",
                        "Runs a shell command.",
                        ended.explained(desk::exec)),
                route(
                        EXECUTE,
                        "POST",
                        "/v1/exec/stream",
                        JSON,
                        "lines of JSON",
                        "The same, with its output while it runs.",
                        ended.explained(desk::stream)));
    }

    private static List<SandboxServer.Guarded> files(FilesDesk desk, Ended ended) {
        return List.of(
                route(
                        READ,
                        "POST",
                        "/v1/files/read",
                        JSON,
                        "{content, size, encoding?}",
                        "Reads a file of at most 10 MiB.",
                        ended.explained(desk::read)),
                route(
                        EXECUTE,
                        "POST",
                        "/v1/files/write",
                        JSON,
                        "{status, size}",
                        "Replaces or creates a file; parents are made.",
                        ended.explained(desk::write)),
                route(
                        READ,
                        "POST",
                        "/v1/files/list",
                        JSON,
                        "{entries: [{name, path, is_dir, type, size, mode, modified_at_unix}]}",
                        "Lists a directory.",
                        ended.explained(desk::list)),
                route(
                        EXECUTE,
                        "POST",
                        "/v1/files/mkdir",
                        JSON,
                        "{status}",
                        "Makes a directory with its parents.",
                        ended.explained(desk::makeDirectory)),
                route(
                        EXECUTE,
                        "POST",
                        "/v1/files/remove",
                        JSON,
                        "{status}",
                        "Removes a file, or a directory with all that is in it.",
                        ended.explained(desk::remove)));
    }

    private static List<SandboxServer.Guarded> tokens(TokensDesk desk) {
        return List.of(
                route(
                        ADMIN,
                        "POST",
                        "/v1/tokens",
                        JSON,
                        "{id, name, scopes, profiles, sandboxes?, created_at, expires_at?, expired, token}",
                        "Makes a token. Its secret is in this answer and nowhere else.",
                        desk::create),
                route(ADMIN, "GET", "/v1/tokens", NONE, "{tokens: […]}", "All tokens, without secrets.", desk::list),
                route(
                        ADMIN,
                        "DELETE",
                        "/v1/tokens/{id}",
                        NONE,
                        "{id, revoked}",
                        "Revokes the token of this id, or all of this name.",
                        desk::revoke));
    }

    /// What belongs to this API but is for the owner of the Unix socket alone, with the service's own errors.
    public static List<Route> owner(TokensDesk tokens, GatewayDesk gateway) {
        return List.of(
                new Route("POST", "/tokens", JSON, "as POST /v1/tokens", "Makes a token.", tokens::create),
                new Route("GET", "/tokens", NONE, "{tokens: […]}", "All tokens, without secrets.", tokens::list),
                new Route("DELETE", "/tokens/{id}", NONE, "{id, revoked}", "Revokes tokens.", tokens::revoke),
                new Route(
                        "GET",
                        "/gateway",
                        NONE,
                        "{enabled, address, port, standalone, hosts, url?}",
                        "How the gateway serves.",
                        gateway::show),
                new Route(
                        "POST",
                        "/gateway",
                        JSON,
                        "as GET /gateway",
                        "Turns the gateway on or off, now and for later starts of the service.",
                        gateway::change));
    }
}
