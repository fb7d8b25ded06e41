package dev.capsem.service.api;

import static dev.capsem.service.http.Route.BodyKind.BYTES;
import static dev.capsem.service.http.Route.BodyKind.JSON;
import static dev.capsem.service.http.Route.BodyKind.NONE;
import static dev.capsem.service.http.Route.BodyKind.OPTIONAL_JSON;

import dev.capsem.service.http.Route;
import dev.capsem.service.http.RouteTable;
import java.util.List;

/// The whole table, in the order of the reference.
public final class ServiceRoutes {
    private ServiceRoutes() {}

    /// Who answers what.
    public record Desks(
            ServiceDesk service,
            SandboxDesk sandboxes,
            CommandDesk commands,
            FileDesk files,
            RecordDesk records,
            ConfirmDesk confirm) {}

    public static RouteTable table(Desks desks) {
        ServiceDesk service = desks.service;
        SandboxDesk sandboxes = desks.sandboxes;
        CommandDesk commands = desks.commands;
        FileDesk files = desks.files;
        RecordDesk records = desks.records;
        ConfirmDesk confirm = desks.confirm;
        return new RouteTable(List.of(
                new Route("GET", "/version", NONE, "{version}", "The service's version.", service::version),
                new Route(
                        "GET",
                        "/status",
                        NONE,
                        "{version, pid, uptime_secs, home, driver, abilities, problems, sandboxes, sandboxes_max, spare, "
                                + "ipc_drops, dropped_events}",
                        "The service, this host's abilities and problems.",
                        service::status),
                new Route(
                        "POST",
                        "/shutdown",
                        OPTIONAL_JSON,
                        "{success}",
                        "Ends the service; sandboxes go on and the next service adopts them.",
                        service::shutdown),
                new Route(
                        "GET",
                        "/service-logs",
                        NONE,
                        "text/plain",
                        "The last 100 KiB of the service's log, from the first whole line.",
                        service::logs),
                new Route(
                        "GET",
                        "/events",
                        NONE,
                        "text/event-stream",
                        "What happens in all sandboxes, as it happens.",
                        service::events),
                new Route(
                        "POST",
                        "/provision",
                        JSON,
                        "{id, uds_path, mode, profile_id}",
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
                        "{project, changes, unified, truncated}",
                        "What changed in the sandbox's copy of the project; ?path= (repeatable) chooses.",
                        sandboxes::diff),
                new Route(
                        "POST",
                        "/apply/{id}",
                        OPTIONAL_JSON,
                        "{applied, refused, skipped, failed}",
                        "Brings changes back into the project.",
                        sandboxes::apply),
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
                        commands::run),
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
                        files::list),
                new Route(
                        "GET",
                        "/logs/{id}",
                        NONE,
                        "{logs, serial_logs, process_logs, security_logs}",
                        "The agent's console and the log of its process; also of a sandbox that crashed.",
                        records::logs),
                new Route(
                        "GET",
                        "/history/{id}",
                        NONE,
                        "{commands: […], total, has_more}",
                        "Commands: ?limit= (500), ?offset=, ?search=, ?layer=all, exec or audit.",
                        records::history),
                new Route(
                        "GET",
                        "/history/{id}/counts",
                        NONE,
                        "{exec_count, audit_count}",
                        "How many commands.",
                        records::counts),
                new Route(
                        "GET",
                        "/history/{id}/processes",
                        NONE,
                        "{processes: […]}",
                        "The hundred programs run most.",
                        records::processes),
                new Route(
                        "GET",
                        "/history/{id}/transcript",
                        NONE,
                        "{content, bytes}",
                        "What terminals showed, in base64.",
                        records::transcript),
                new Route(
                        "GET",
                        "/verify/{id}",
                        NONE,
                        "{intact, events, gaps, problem}",
                        "Is the hash chain of the session's events whole?",
                        records::verify),
                new Route(
                        "GET",
                        "/stats",
                        NONE,
                        "{global, sessions, top_providers, top_tools, top_mcp_tools}",
                        "All sessions of this host.",
                        records::stats),
                new Route(
                        "POST",
                        "/reload-config",
                        OPTIONAL_JSON,
                        "{success, reloaded, failed_session_count, failed_session_ids, failures, message, problems}",
                        "Reads all profiles again and puts them in force in every running sandbox; 500 with the same shape"
                                + " if one cannot take them.",
                        confirm::reload),
                new Route(
                        "GET",
                        "/confirm/pending",
                        NONE,
                        "{pending: […], capacity}",
                        "Questions that wait for a person, oldest first.",
                        confirm::pending),
                new Route(
                        "GET",
                        "/confirm/stream",
                        NONE,
                        "text/event-stream",
                        "snapshot, then pending and resolved, as they happen.",
                        confirm::stream),
                new Route(
                        "POST",
                        "/confirm/{id}",
                        JSON,
                        "{id, outcome, scope, by, rule_written}",
                        "Answers a question: approve or deny, once, for the session or always.",
                        confirm::answer)));
    }
}
