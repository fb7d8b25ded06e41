package dev.capsem.service.api;

import static dev.capsem.service.http.Route.BodyKind.JSON;
import static dev.capsem.service.http.Route.BodyKind.NONE;

import dev.capsem.service.http.Route;
import java.util.List;

/// What went wrong, and where to look.
final class DiagnoseRoutes {
    private DiagnoseRoutes() {}

    static List<Route> diagnose(DiagnoseDesk diagnose) {
        return List.of(
                new Route(
                        "POST",
                        "/inspect/{id}",
                        JSON,
                        "{columns, rows, truncated}",
                        "Asks the session's database {sql}: one SELECT, WITH or EXPLAIN; also of a stopped or crashed sandbox.",
                        diagnose::inspect),
                new Route(
                        "GET",
                        "/timeline/{id}",
                        NONE,
                        "{columns, rows, notes}",
                        "What happened, in order: ?layers=, ?trace_id=, ?since=, ?limit= (200).",
                        diagnose::timeline),
                new Route(
                        "GET",
                        "/triage",
                        NONE,
                        "{since, session_id, host, session, rank}",
                        "What to look at first: ?since= (30m), ?limit= (20), ?id= for one sandbox.",
                        diagnose::triage),
                new Route(
                        "GET",
                        "/panics",
                        NONE,
                        "{panics: […]}",
                        "Crashes of our programs, the newest first: ?since=, ?limit= (20).",
                        diagnose::panics),
                new Route(
                        "GET",
                        "/host-logs/{name}",
                        NONE,
                        "text/plain",
                        "The log of service, mcp, gateway, process, aggregator or builtin: ?grep=, ?tail=, ?max_bytes=.",
                        diagnose::hostLogs));
    }
}
