package dev.capsem.service.api;

import static dev.capsem.service.http.Route.BodyKind.NONE;
import static dev.capsem.service.http.Route.BodyKind.OPTIONAL_JSON;

import dev.capsem.service.http.Route;
import java.util.List;

/// The service itself, and what goes on in it.
final class HostRoutes {
    private HostRoutes() {}

    static List<Route> service(ServiceDesk service) {
        return List.of(
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
                        "What happens in all sandboxes, or in ?sandbox=, as it happens.",
                        service::events));
    }

    static List<Route> operations(OperationsDesk operations) {
        return List.of(
                new Route(
                        "GET",
                        "/metrics",
                        NONE,
                        "text/plain; version=0.0.4",
                        "Counters, gauges and histograms of the service and all sandboxes, for Prometheus.",
                        operations::metrics),
                new Route(
                        "GET",
                        "/cost",
                        NONE,
                        "{by, rows: […], total}",
                        "Tokens and cost of model calls of all sandboxes there are, ?by=sandbox, model or process.",
                        operations::costs),
                new Route(
                        "GET",
                        "/cost/{id}",
                        NONE,
                        "{by, rows: […], total}",
                        "Tokens and cost of model calls, ?by=trace, model or process.",
                        operations::cost),
                new Route(
                        "GET",
                        "/export/{id}",
                        NONE,
                        "a HAR 1.2 document",
                        "All HTTP exchanges, ?format=har.",
                        operations::export));
    }
}
