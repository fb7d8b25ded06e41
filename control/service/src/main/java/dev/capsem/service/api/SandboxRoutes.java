package dev.capsem.service.api;

import static dev.capsem.service.http.Route.BodyKind.BYTES;
import static dev.capsem.service.http.Route.BodyKind.JSON;
import static dev.capsem.service.http.Route.BodyKind.NONE;
import static dev.capsem.service.http.Route.BodyKind.OPTIONAL_JSON;

import dev.capsem.service.http.Route;
import java.util.List;

/// Sandboxes from their birth to their end, and what runs in them.
final class SandboxRoutes {
    private SandboxRoutes() {}

    static List<Route> sandboxes(SandboxDesk sandboxes) {
        return List.of(
                new Route(
                        "POST",
                        "/provision",
                        JSON,
                        "{id, uds_path, mode, profile_id, warnings?}",
                        "Creates a sandbox and starts it.",
                        sandboxes::provision),
                new Route("GET", "/list", NONE, "{sandboxes: […]}", "All sandboxes.", sandboxes::list),
                new Route("GET", "/info/{id}", NONE, "a sandbox", "One sandbox.", sandboxes::info),
                new Route(
                        "POST",
                        "/stop/{id}",
                        OPTIONAL_JSON,
                        "{success, persistent}",
                        "Ends it; a temporary one is gone.",
                        sandboxes::stop),
                new Route(
                        "POST",
                        "/suspend/{id}",
                        OPTIONAL_JSON,
                        "{success, mode}",
                        "Makes a persistent sandbox stand still.",
                        sandboxes::suspend),
                new Route(
                        "POST",
                        "/resume/{name}",
                        OPTIONAL_JSON,
                        "as /provision",
                        "Goes on with a suspended sandbox (mode thaw), starts a stopped one (mode cold).",
                        sandboxes::resume),
                new Route(
                        "POST",
                        "/persist/{id}",
                        JSON,
                        "{success, name}",
                        "Keeps a running temporary sandbox under a name, which becomes its id.",
                        sandboxes::persist),
                new Route(
                        "POST",
                        "/fork/{id}",
                        JSON,
                        "{name, size_bytes}",
                        "Copies a sandbox into a new stopped persistent one.",
                        sandboxes::fork),
                new Route(
                        "DELETE",
                        "/delete/{id}",
                        NONE,
                        "{success}",
                        "Ends it if it runs and removes all of it.",
                        sandboxes::delete),
                new Route(
                        "POST",
                        "/purge",
                        OPTIONAL_JSON,
                        "{purged, persistent_purged, ephemeral_purged}",
                        "Deletes all temporary sandboxes; with {\"all\": true} the persistent ones too.",
                        sandboxes::purge),
                new Route(
                        "GET",
                        "/diff/{id}",
                        NONE,
                        "{project, changes, unified, truncated, cut, ignored, commits, skipped, held, digest}",
                        "What changed in the sandbox's copy of the project; ?path= (repeatable) chooses, ?ignored=true shows what git ignores.",
                        sandboxes::diff),
                new Route(
                        "POST",
                        "/apply/{id}",
                        OPTIONAL_JSON,
                        "{applied, merged, refused, skipped, held, failed, branches, kept?, ignored}",
                        "Brings changes back into the project, and commits as branches; {paths, force, ignored, commits, as}.",
                        sandboxes::apply));
    }

    static List<Route> commands(CommandDesk commands) {
        return List.of(
                new Route(
                        "POST",
                        "/exec/{id}",
                        JSON,
                        "{stdout, stderr, exit_code, duration_ms, stdout_bytes, stderr_bytes, truncated, timed_out}, or "
                                + "lines with Accept: application/x-ndjson",
                        "Runs a command.",
                        commands::exec),
                new Route(
                        "GET",
                        "/exec/{id}/pty",
                        NONE,
                        "WebSocket",
                        "Runs a command with a terminal, or with pipes.",
                        commands::terminal),
                new Route(
                        "POST",
                        "/run",
                        JSON,
                        "as /exec",
                        "A temporary sandbox for one command: /provision, /exec and /delete in one.",
                        commands::run));
    }

    static List<Route> files(FileDesk files) {
        return List.of(
                new Route(
                        "GET",
                        "/files/{id}/content",
                        NONE,
                        "the bytes",
                        "Reads the file ?path=, at most 10 MiB.",
                        files::read),
                new Route(
                        "POST",
                        "/files/{id}/content",
                        BYTES,
                        "{success, size}",
                        "Writes the body to ?path=, at most 10 MiB; parents are made.",
                        files::write),
                new Route(
                        "GET",
                        "/files/{id}",
                        NONE,
                        "{entries: […]}",
                        "Lists ?path= down to ?depth= (1 to 6).",
                        files::list));
    }
}
