package dev.capsem.api;

import static dev.capsem.http.Route.BodyKind.JSON;

import dev.capsem.http.Api;
import dev.capsem.http.HttpAnswer;
import dev.capsem.http.Route;
import dev.capsem.http.RouteCall;
import dev.capsem.service.budgets.BudgetOffice;
import dev.capsem.wire.json.Json;
import dev.capsem.wire.json.JsonMembers;
import java.util.List;

/// Routes about budgets.
public final class BudgetApi implements Api {
    private final BudgetOffice office;

    public BudgetApi(BudgetOffice office) {
        this.office = office;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.get("/budgets", this::list)
                        .answers(
                                "{budgets: [{name, limit, window, then, …, unit, limit_now, spent, held, left,"
                                        + " unpriced_tokens, resets_at?, sandbox?, provenance}]}",
                                "The budgets of ?sandbox=; without it those of all that run, and of the profile in"
                                        + " use. Sums of usd are in millionths."),
                Route.post("/budgets", JSON, this::put)
                        .answers(
                                "{profile_id, budget, sandboxes}",
                                "Adds a budget to ?profile=, in place of one of that name; in force at once."),
                Route.post("/budgets/{name}/raise", JSON, this::raise)
                        .answers(
                                "{name, limit_now, spent, held, left, …}",
                                "Lets more be spent in the window that runs: {by, sandbox?}. Not of a company's."),
                Route.post("/budgets/{name}/reset", JSON, this::reset)
                        .answers(
                                "{name, limit_now, spent, held, left, …}",
                                "Forgets what was spent in the window that runs: {sandbox?}. Not of a company's."));
    }

    HttpAnswer list(RouteCall call) {
        return HttpAnswer.json(office.list(call.query("sandbox")));
    }

    HttpAnswer put(RouteCall call) {
        return HttpAnswer.json(office.put(call.query("profile"), Json.text(call.json())));
    }

    HttpAnswer raise(RouteCall call) {
        JsonMembers body = JsonMembers.of(call.json(), "");
        return HttpAnswer.json(office.raise(call.variable("name"), body.text("by"), body.optionalText("sandbox")));
    }

    HttpAnswer reset(RouteCall call) {
        JsonMembers body = JsonMembers.of(call.json(), "");
        return HttpAnswer.json(office.reset(call.variable("name"), body.optionalText("sandbox")));
    }
}
