package dev.capsem.service.api;

import static dev.capsem.service.http.Route.BodyKind.NONE;

import dev.capsem.service.http.Route;
import java.util.List;

/// What was recorded of sandboxes.
final class RecordRoutes {
    private RecordRoutes() {}

    static List<Route> records(RecordDesk records) {
        return List.of(
                new Route(
                        "GET",
                        "/logs/{id}",
                        NONE,
                        "{logs, serial_logs, process_logs, security_logs}",
                        "The agent's console, the log of its process and its security events: ?grep=, ?tail=; also of a crashed one.",
                        records::logs),
                new Route(
                        "GET",
                        "/history/{id}",
                        NONE,
                        "{commands: […], total, has_more}",
                        "Commands and processes: ?limit= (500), ?offset=, ?search=, ?layer=all, exec or audit, ?fold=true.",
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
                        "{intact, events, gaps, events_lost, lost, problem}",
                        "Is the hash chain of the session's events whole?",
                        records::verify),
                new Route(
                        "GET",
                        "/stats",
                        NONE,
                        "{global, sessions, top_providers, top_tools, top_mcp_tools}",
                        "All sessions of this host.",
                        records::stats));
    }
}
