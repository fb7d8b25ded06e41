package dev.capsem.service.api;

import static dev.capsem.service.http.Route.BodyKind.JSON;
import static dev.capsem.service.http.Route.BodyKind.NONE;
import static dev.capsem.service.http.Route.BodyKind.OPTIONAL_JSON;

import dev.capsem.service.http.Route;
import java.util.List;

/// Rules and the questions that they ask.
final class RuleRoutes {
    private RuleRoutes() {}

    static List<Route> confirm(ConfirmDesk confirm) {
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
                        "snapshot, then pending and resolved, as they happen; of ?sandbox= alone. Who reads it counts as somebody"
                                + " to ask, but for ?answers=false.",
                        confirm::stream),
                new Route(
                        "POST",
                        "/confirm/{id}",
                        JSON,
                        "{id, outcome, scope, by, rule_written}",
                        "Answers a question: approve or deny, once, for the session or always.",
                        confirm::answer));
    }

    static List<Route> rules(RuleDesk rules) {
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
                        "Compiles {name, text, lists}; keeps nothing.",
                        rules::check),
                new Route(
                        "POST",
                        "/rules/test",
                        JSON,
                        "{ok, passed, failed, cases, problems}",
                        "Runs the expectations in {name, text, lists, profile}.",
                        rules::test),
                new Route(
                        "POST",
                        "/rules/explain",
                        JSON,
                        "{event, decision, outcome, rule, reason, considered, suggestion}",
                        "Why an event is decided as it is: {on, given}, {sandbox, event_id} or {sandbox}.",
                        rules::explain));
    }

    static List<Route> runtime(RuntimeDesk runtime) {
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
                        "{total_matches, unique_evidence_matches, truncated, undecided, skipped_events, rows}",
                        "What {rule}, with its {lists}, would have decided of {events} or of {sandbox}.",
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
}
