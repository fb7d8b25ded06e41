package dev.capsem.service.api;

import static dev.capsem.service.http.Route.BodyKind.BYTES;
import static dev.capsem.service.http.Route.BodyKind.JSON;
import static dev.capsem.service.http.Route.BodyKind.NONE;
import static dev.capsem.service.http.Route.BodyKind.OPTIONAL_JSON;

import dev.capsem.service.http.Route;
import dev.capsem.service.http.RouteTable;
import java.util.ArrayList;
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
            ConfirmDesk confirm,
            RuleDesk rules,
            RuntimeDesk runtime,
            ProfileDesk profiles,
            OperationsDesk operations) {}

    public static RouteTable table(Desks desks) {
        List<Route> routes = new ArrayList<>(sandboxRoutes(desks));
        routes.addAll(operationsRoutes(desks.operations));
        routes.addAll(confirmRoutes(desks.confirm));
        routes.addAll(ruleRoutes(desks.rules));
        routes.addAll(runtimeRoutes(desks.runtime));
        routes.addAll(profileRoutes(desks.profiles));
        return new RouteTable(routes);
    }

    private static List<Route> sandboxRoutes(Desks desks) {
        ServiceDesk service = desks.service;
        SandboxDesk sandboxes = desks.sandboxes;
        CommandDesk commands = desks.commands;
        FileDesk files = desks.files;
        RecordDesk records = desks.records;
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
                        records::stats));
    }

    private static List<Route> operationsRoutes(OperationsDesk operations) {
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

    private static List<Route> confirmRoutes(ConfirmDesk confirm) {
        return List.of(
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
                        confirm::answer));
    }

    private static List<Route> ruleRoutes(RuleDesk rules) {
        return List.of(
                new Route(
                        "GET",
                        "/rules",
                        NONE,
                        "{profile_id, profile_revision, rules: […], warnings: […]}",
                        "The rules of ?profile= or ?sandbox= (with counts), in the order in which they are asked.",
                        rules::list),
                new Route("GET", "/rules/{id}", NONE, "a rule", "One rule.", rules::show),
                new Route(
                        "POST",
                        "/rules",
                        JSON,
                        "a rule",
                        "Adds a rule to a profile of the user: {profile, id, rule}.",
                        rules::add),
                new Route(
                        "DELETE",
                        "/rules/{id}",
                        NONE,
                        "{id, removed}",
                        "Removes a rule of the user from ?profile=.",
                        rules::remove),
                new Route(
                        "POST",
                        "/rules/check",
                        JSON,
                        "{ok, rules, problems, warnings}",
                        "Compiles {name, text}; keeps nothing.",
                        rules::check),
                new Route(
                        "POST",
                        "/rules/test",
                        JSON,
                        "{ok, passed, failed, cases, problems}",
                        "Runs the expectations in {name, text, profile}.",
                        rules::test),
                new Route(
                        "POST",
                        "/rules/explain",
                        JSON,
                        "{event, decision, outcome, rule, reason, considered, suggestion}",
                        "Why an event is decided as it is: {on, given}, {sandbox, event_id} or {sandbox}.",
                        rules::explain));
    }

    private static List<Route> runtimeRoutes(RuntimeDesk runtime) {
        return List.of(
                new Route(
                        "GET",
                        "/enforcement",
                        NONE,
                        "{kind, generation, rules: […]}",
                        "Rules added to running sandboxes.",
                        runtime::enforcement),
                new Route(
                        "POST",
                        "/enforcement",
                        JSON,
                        "{kind, rule, propagation}",
                        "Adds one.",
                        runtime::addEnforcement),
                new Route(
                        "PUT",
                        "/enforcement/{id}",
                        JSON,
                        "{kind, rule, propagation}",
                        "Changes one.",
                        runtime::changeEnforcement),
                new Route(
                        "DELETE",
                        "/enforcement/{id}",
                        NONE,
                        "{kind, id, removed, propagation}",
                        "Removes one.",
                        runtime::removeEnforcement),
                new Route(
                        "POST",
                        "/enforcement/validate",
                        JSON,
                        "{compiled, id, compiled_plan}",
                        "Compiles one; keeps nothing.",
                        runtime::compileEnforcement),
                new Route(
                        "POST",
                        "/enforcement/compile",
                        JSON,
                        "{compiled, id, compiled_plan}",
                        "The same.",
                        runtime::compileEnforcement),
                new Route(
                        "POST",
                        "/enforcement/backtest",
                        JSON,
                        "{total_matches, unique_evidence_matches, truncated, rows}",
                        "What {rule} would have decided of {events} or of {sandbox}.",
                        runtime::backtestEnforcement),
                new Route(
                        "GET",
                        "/enforcement/stats",
                        NONE,
                        "{kind, generation, rules, profile_rules, sync}",
                        "How often rules decided in running sandboxes.",
                        runtime::enforcementStats),
                new Route(
                        "GET",
                        "/detection",
                        NONE,
                        "{kind, generation, rules: […]}",
                        "Sigma rules added to running sandboxes.",
                        runtime::detection),
                new Route(
                        "POST",
                        "/detection",
                        JSON,
                        "{kind, rule, propagation}",
                        "Adds {sigma}.",
                        runtime::addDetection),
                new Route(
                        "DELETE",
                        "/detection/{id}",
                        NONE,
                        "{kind, id, removed, propagation}",
                        "Removes one.",
                        runtime::removeDetection),
                new Route(
                        "POST",
                        "/detection/validate",
                        JSON,
                        "{compiled, id, compiled_plan, …}",
                        "Compiles {sigma}; keeps nothing.",
                        runtime::compileDetection),
                new Route(
                        "POST",
                        "/detection/compile",
                        JSON,
                        "{compiled, id, compiled_plan, …}",
                        "The same.",
                        runtime::compileDetection),
                new Route(
                        "POST",
                        "/detection/backtest",
                        JSON,
                        "as /enforcement/backtest",
                        "What {rule} would have found in {events} or in {sandbox}.",
                        runtime::backtestDetection),
                new Route(
                        "POST",
                        "/detection/hunt",
                        JSON,
                        "as /enforcement/backtest",
                        "What {rules}, or else those in force, would have found.",
                        runtime::hunt),
                new Route(
                        "GET",
                        "/detection/stats",
                        NONE,
                        "{kind, generation, rules, sync}",
                        "How often detections found something.",
                        runtime::detectionStats),
                new Route(
                        "POST",
                        "/sessions/{id}/detection/hunt",
                        OPTIONAL_JSON,
                        "as /enforcement/backtest",
                        "The same in what one sandbox recorded.",
                        runtime::huntSession));
    }

    private static List<Route> profileRoutes(ProfileDesk profiles) {
        return List.of(
                new Route("GET", "/profiles", NONE, "{chosen, profiles: […]}", "All profiles.", profiles::list),
                new Route(
                        "POST",
                        "/profiles/use",
                        JSON,
                        "{chosen}",
                        "Chooses the profile of sandboxes that name none.",
                        profiles::use),
                new Route(
                        "POST",
                        "/profiles/validate",
                        JSON,
                        "{ok, problems, warnings}",
                        "What would come of {name, text}; keeps nothing.",
                        profiles::validate),
                new Route(
                        "GET",
                        "/profiles/diff",
                        NONE,
                        "{from, to, changes, text}",
                        "What differs between ?from= and ?to=.",
                        profiles::diff),
                new Route(
                        "GET",
                        "/profiles/{id}",
                        NONE,
                        "a profile",
                        "One profile; ?effective=true: every entry, and whose it is.",
                        profiles::show),
                new Route("GET", "/secrets", NONE, "{secrets: [{name}]}", "The names of secrets.", profiles::secrets),
                new Route(
                        "PUT",
                        "/secrets/{name}",
                        BYTES,
                        "{name, set}",
                        "Keeps the body as a secret; at most 64 KiB.",
                        profiles::setSecret),
                new Route("DELETE", "/secrets/{name}", NONE, "{name, removed}", "Forgets one.", profiles::removeSecret),
                new Route(
                        "GET",
                        "/mcp/connectors",
                        NONE,
                        "{mode, profile_id, servers: […]}",
                        "The MCP servers of ?profile=; tokens appear as references.",
                        profiles::connectors),
                new Route(
                        "POST",
                        "/mcp/connectors",
                        JSON,
                        "a server",
                        "Adds a server to a profile of the user.",
                        profiles::addConnector),
                new Route(
                        "DELETE",
                        "/mcp/connectors/{id}",
                        NONE,
                        "{mode, profile_id, server_id, removed}",
                        "Removes one.",
                        profiles::removeConnector));
    }
}
